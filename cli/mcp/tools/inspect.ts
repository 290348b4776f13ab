import { z } from "zod";
import { InspectResponse } from "../../../shared/contract/inspect.ts";
import { priceRows, priceWords } from "../../../shared/words/price-words.ts";
import { memberLine } from "../../words/route-words.ts";
import { targetWords } from "../../words/target.ts";
import { fitValue } from "../fit-value.ts";
import { hintWords } from "../hint-words.ts";
import { endpointInput } from "../tool-input.ts";
import { defineTool, readsOnly } from "../tool.ts";

/** The most characters of an endpoint's input schema that are returned; few have more. */
const MAX_INPUT_CHARACTERS = 40_000;

export const inspectTool = defineTool({
  name: "inspect",
  title: "Look at an endpoint",
  description:
    "Everything about one endpoint: the input it takes as JSON Schema, inputs that work, price, health, notes. Free. " +
    "Next: quote or run it.",
  annotations: readsOnly,
  input: z.object({ ...endpointInput }),
  output: InspectResponse,
  async call({ provider, endpoint }, { connect, signal }) {
    const found = await (await connect()).inspectEndpoint({ body: { provider, endpoint } }, { signal });
    const { value: fitted, cut } = fitValue(found.input ?? {}, MAX_INPUT_CHARACTERS, "input");
    const shown = { ...found, ...(cut.length > 0 && { input: fitted as NonNullable<InspectResponse["input"]> }) };
    return { lines: endpointLines(shown, cut), value: shown };
  },
});

function endpointLines(endpoint: InspectResponse, cut: readonly string[]): string[] {
  const { description, price, notes = [], metrics, input = {}, hints, docUrl, route } = endpoint;
  const places = (["pathParams", "queryParams", "body"] as const).filter((place) => input[place] !== undefined);
  return [
    `${targetWords(endpoint)} · ${endpoint.providerName}`,
    description,
    `Price: ${[priceWords(price, endpoint), ...priceRows(price)].join("; ")}.`,
    ...(metrics === undefined ? [] : [`Health: ${metrics.status}.`]),
    ...(route?.members ?? []).map((member, index) => `Member: ${memberLine(member, index + 1)}`),
    ...notes.map((note) => `Note: ${note}`),
    ...(docUrl === undefined ? [] : [`Documentation of the provider: ${docUrl}`]),
    ...(places.length === 0
      ? ["Input: none."]
      : places.map((place) => `Input, ${place}: ${JSON.stringify(input[place])}`)),
    ...(cut.length === 0
      ? []
      : [
          `The input was shortened for you: ${cut.join("; ")}. Whole: the resource mkt://endpoint/${targetWords(endpoint)}`,
        ]),
    // Written by the endpoint's provider, not by the service.
    ...hintWords("The provider says, see also", hints),
    `Next: run ${JSON.stringify(exampleRun(endpoint))}`,
  ];
}

function exampleRun({ provider, endpoint, examples = [] }: InspectResponse): object {
  return { provider, endpoint, input: examples[0]?.input ?? {} };
}
