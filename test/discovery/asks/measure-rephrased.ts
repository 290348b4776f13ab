import { firstRight, mean } from "../../../bench/discovery/metrics.ts";
import type { Ask } from "../../support/request.ts";
import { endpointName, type JudgedAsk, judgementsOf, type OffTopicAsk } from "./ask-collection.ts";
import type { Figures } from "./committed-figures.ts";

/** An ask with other wordings of it. */
export type Rephrased<Kind> = Kind & { readonly also: readonly string[] };

/** An empty list asks the query alone, and the answer says how sure it is, as with rephrasings. */
export function alone<Kind>(ask: Rephrased<Kind>): Rephrased<Kind> {
  return { ...ask, also: [] };
}

/** `fits`: the first answer is called strong or possible; `strongIsRight`: of the first that are called strong, if any. */
export async function measureServed(request: Ask, asks: readonly Rephrased<JudgedAsk>[]): Promise<Figures> {
  const outcomes: { readonly place: number; readonly confidence: string | undefined }[] = [];
  for (const ask of asks) {
    const { names, confidence } = await discover(request, ask);
    outcomes.push({ place: firstRight(judgementsOf(ask), names) ?? Number.POSITIVE_INFINITY, confidence });
  }
  const shareOf = (holds: (outcome: (typeof outcomes)[number]) => boolean, of = outcomes) =>
    mean(of.map((outcome) => (holds(outcome) ? 1 : 0)));
  const strong = outcomes.filter(({ confidence }) => confidence === "strong");
  return {
    firstIsRight: shareOf(({ place }) => place === 1),
    rightAmongThree: shareOf(({ place }) => place <= 3),
    fits: shareOf(({ confidence }) => confidence === "strong" || confidence === "possible"),
    strong: shareOf(({ confidence }) => confidence === "strong"),
    ...(strong.length > 0 && { strongIsRight: shareOf(({ place }) => place === 1, strong) }),
  };
}

/** `told`: answered with nothing, or with nothing that is called more than weak. */
export async function measureLacking(request: Ask, asks: readonly Rephrased<OffTopicAsk>[]): Promise<Figures> {
  const told: number[] = [];
  const unanswered: number[] = [];
  for (const ask of asks) {
    const { confidence } = await discover(request, ask);
    told.push(confidence === undefined || confidence === "weak" ? 1 : 0);
    const { names } = await discover(request, ask, {});
    unanswered.push(names.length === 0 ? 1 : 0);
  }
  return { told: mean(told), unanswered: mean(unanswered) };
}

/** English asks and the others, and what nothing serves, each alone and with its other wordings. */
export async function measureAloneAndRephrased(
  request: Ask,
  served: readonly (Rephrased<JudgedAsk> & { readonly lang: string })[],
  lacking: readonly Rephrased<OffTopicAsk>[],
): Promise<Readonly<Record<string, Figures>>> {
  const english = served.filter(({ lang }) => lang === "en");
  const translated = served.filter(({ lang }) => lang !== "en");
  return {
    english: await measureServed(request, english.map(alone)),
    otherLanguages: await measureServed(request, translated.map(alone)),
    lacking: await measureLacking(request, lacking.map(alone)),
    englishWithAlso: await measureServed(request, english),
    otherLanguagesWithAlso: await measureServed(request, translated),
    lackingWithAlso: await measureLacking(request, lacking),
  };
}

async function discover(
  request: Ask,
  { q, also }: { readonly q: string; readonly also: readonly string[] },
  more: object = { minScore: 0 },
): Promise<{ names: string[]; confidence: string | undefined }> {
  const { status, body, text } = await request("POST", "/v1/discover/endpoints", { q, also, limit: 10, ...more });
  if (status !== 200) throw new Error(`the daemon answered ${status} to ${q}: ${text}`);
  return { names: body.items.map(endpointName), confidence: body.confidence };
}
