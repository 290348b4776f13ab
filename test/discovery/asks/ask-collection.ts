import { readFileSync } from "node:fs";
import { z } from "zod";

/*
 * Everyday asks with the endpoints of the starter catalog that serve them, and asks that none of them serves. How they were
 * written and judged: README.md here.
 */

const RightAnswer = z.object({
  provider: z.string(),
  endpoint: z.string(),
  rel: z.union([z.literal(1), z.literal(2)]),
});
/** An endpoint that serves an ask: fully (`rel` 2), or in part or as one step (1). */
export type RightAnswer = z.infer<typeof RightAnswer>;

const JudgedAsk = z.object({ id: z.string(), q: z.string(), right: z.array(RightAnswer).min(1) });
export type JudgedAsk = z.infer<typeof JudgedAsk>;

const OffTopicAsk = z.object({
  id: z.string(),
  q: z.string(),
  kind: z.enum(["outside", "smalltalk", "philosophy", "command", "language", "mash"]),
});
/** `outside`: a plain wish for something that is not in the catalog. */
export type OffTopicAsk = z.infer<typeof OffTopicAsk>;

export function loadJudgedAsks(): JudgedAsk[] {
  return readLines("asks.ndjson", JudgedAsk);
}

export function loadOffTopicAsks(): OffTopicAsk[] {
  return readLines("offtopic.ndjson", OffTopicAsk);
}

/** Asks that state a need in other words than the manifests have. */
export function loadAsksInOtherWords(): JudgedAsk[] {
  return readLines("other-words.ndjson", JudgedAsk);
}

/** Plain wishes of the same style that nothing in the starter catalog serves. */
export function loadLackingAsks(): OffTopicAsk[] {
  return readLines("other-words-lacking.ndjson", OffTopicAsk);
}

/** Asks in German, French, Spanish, Portuguese, Italian and Dutch; the id begins with the code of the language. */
export function loadAsksInOtherLanguages(): JudgedAsk[] {
  return readLines("other-languages.ndjson", JudgedAsk);
}

/** Plain wishes in these languages that nothing in the starter catalog serves. */
export function loadLackingInOtherLanguages(): OffTopicAsk[] {
  return readLines("other-languages-lacking.ndjson", OffTopicAsk);
}

const Language = z.enum(["en", "de", "fr", "es", "pt", "it", "nl"]);
const HeldBackAsk = JudgedAsk.extend({ lang: Language, also: z.array(z.string()).length(5) });
/** An ask that nothing was tuned with, and other wordings of it. */
export type HeldBackAsk = z.infer<typeof HeldBackAsk>;

const HeldBackLacking = OffTopicAsk.extend({ lang: Language, also: z.array(z.string()).length(5) });
export type HeldBackLacking = z.infer<typeof HeldBackLacking>;

/** Asks that are measured and never looked at while the ranking is changed: README.md here, "The asks that are held back". */
export function loadHeldBackAsks(): HeldBackAsk[] {
  return readLines("held-back.ndjson", HeldBackAsk);
}

/** Wishes of the same kind that nothing in the starter catalog serves. */
export function loadHeldBackLacking(): HeldBackLacking[] {
  return readLines("held-back-lacking.ndjson", HeldBackLacking);
}

/** Needs in other words: `needs-in-view`, which the ranking was mended with, or `needs-unseen`, which was only measured. */
export function loadNeeds(half: NeedsHalf): HeldBackAsk[] {
  return readLines(`${half}.ndjson`, HeldBackAsk);
}

/** Wishes of the same kind that nothing in the starter catalog serves. */
export function loadLackingNeeds(half: NeedsHalf): HeldBackLacking[] {
  return readLines(`${half}-lacking.ndjson`, HeldBackLacking);
}

export type NeedsHalf = "needs-in-view" | "needs-unseen";

const FreshAsk = JudgedAsk.extend({ lang: Language });
const FreshLacking = OffTopicAsk.extend({ lang: Language });

/** Held back too, and written when the catalog had got its latest providers; without other wordings. */
export function loadFreshAsks(): z.infer<typeof FreshAsk>[] {
  return readLines("fresh.ndjson", FreshAsk);
}

/** Wishes of the same kind that nothing in the starter catalog serves. */
export function loadFreshLacking(): z.infer<typeof FreshLacking>[] {
  return readLines("fresh-lacking.ndjson", FreshLacking);
}

/** What an endpoint is called in judgements and answers. */
export function endpointName({ provider, endpoint }: { readonly provider: string; readonly endpoint: string }): string {
  return provider + endpoint;
}

/** The endpoints that serve an ask, with how well they do. */
export function judgementsOf({ right }: JudgedAsk): Map<string, number> {
  return new Map(right.map((answer) => [endpointName(answer), answer.rel]));
}

function readLines<Line>(file: string, schema: z.ZodType<Line>): Line[] {
  return readFileSync(new URL(file, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => schema.parse(JSON.parse(line)));
}
