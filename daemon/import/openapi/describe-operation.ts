import type { ApiAnswer, OperationPlace } from "./api-operation.ts";
import { cleanLine, cleanText } from "../clean-text.ts";
import { operationId, shownPath, tagsOf } from "./list-operations.ts";
import { listOf, memberOf, textOf } from "../members.ts";
import { webAddress } from "../web-address.ts";

const MAX_NAME = 80;
const MAX_DESCRIPTION = 2_000;
const MAX_TAGS = 8;
const MAX_ASKS = 20;
/** What servers say when they say nothing. */
const EMPTY_WORDS =
  /^(?:ok|okay|success(?:ful)?|done|created|accepted|no content|default(?: response)?|200|2xx|response|(?:a )?success(?:ful)? (?:response|operation|request)|operation (?:was )?success(?:ful)?|request (?:was )?success(?:ful)?|the (?:request|operation) (?:was|has) succe\w+)\.?$/i;

/** What a person calls an operation: its summary, else its operationId in words, else method and path. */
export function displayNameOf(place: OperationPlace): string {
  const { operation, item, method, path } = place;
  const own =
    textOf(operation, "x-mkt-name") ?? textOf(operation, "x-cli-name") ?? textOf(operation, "x-kong-mcp-tool-name");
  const name = cleanLine(own, MAX_NAME) || cleanLine(memberOf(operation, "summary"), MAX_NAME);
  if (name !== "") return name.replace(/(?<=[^.])\.$/, "");
  const id = spacedWords(operationId(place) ?? "");
  return id !== "" ? id : cleanLine(memberOf(item, "summary"), MAX_NAME) || `${method} ${shownPath(path)}`;
}

/** `getPetById` → `Get pet by id`. */
function spacedWords(name: string): string {
  const spaced = cleanLine(name, MAX_NAME * 2)
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .slice(0, MAX_NAME);
  const lowered = spaced.replaceAll(/\b[A-Z][a-z]+/g, (word) => word.toLowerCase());
  return lowered === "" ? "" : `${lowered[0]?.toUpperCase() ?? ""}${lowered.slice(1)}`;
}

/** What an operation does and what its answer holds: this is what people and agents search in. */
export function descriptionOf(place: OperationPlace, answer: ApiAnswer | undefined, fields: readonly string[]): string {
  const { operation, item } = place;
  const own = cleanText(memberOf(operation, "x-mkt-description"), MAX_DESCRIPTION);
  if (own !== "") return own;
  const words =
    cleanText(memberOf(operation, "description"), MAX_DESCRIPTION - 400) ||
    cleanText(memberOf(operation, "summary"), MAX_DESCRIPTION - 400) ||
    cleanText(memberOf(item, "description"), MAX_DESCRIPTION - 400);
  const answered = cleanLine(answer?.description, 200);
  const isTold = answered === "" || EMPTY_WORDS.test(answered) || words.toLowerCase().includes(answered.toLowerCase());
  const parts = [
    ...(words === "" ? [] : [words]),
    ...(isTold ? [] : [`Answer: ${withStop(answered)}`]),
    ...(fields.length === 0 ? [] : [`Fields of the answer: ${fields.join(", ")}.`]),
  ];
  return parts.map((part, index) => (index < parts.length - 1 ? withStop(part) : part)).join(" ");
}

function withStop(text: string): string {
  return /[.!?…:]$/.test(text) ? text : `${text}.`;
}

export function tagsFor(place: OperationPlace): string[] {
  const tags = tagsOf(place).map((tag) => cleanLine(tag, 40));
  return [...new Set(tags)].filter((tag) => tag !== "").slice(0, MAX_TAGS);
}

/** The page of its documentation, where the document names one that is an address of the web. */
export function docUrlOf(value: unknown): string | undefined {
  return webAddress(textOf(memberOf(value, "externalDocs"), "url"));
}

/** Questions that an operation answers, as its author wrote them in `x-mkt-asks`; none are invented. */
export function asksOf({ operation }: OperationPlace): string[] {
  const asks = listOf(operation, "x-mkt-asks").map((ask) => cleanLine(ask, 200));
  return asks.filter((ask) => ask !== "").slice(0, MAX_ASKS);
}
