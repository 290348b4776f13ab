import { countWords } from "../../../shared/count-words.ts";
import { formatDollars } from "../../../shared/micro-dollars.ts";
import type { LeftOut, LivePlan } from "./live-plan.ts";
import type { LiveReport, TrialReport } from "./live-test.ts";
import type { KeptOutcome } from "./keep-outcomes.ts";

/** What would be called, how often, and the maximum cost; for a confirmation by a person. Ends without a line break. */
export function renderLivePlan({ trials, leftOut, maximumMicroDollars, atProvidersMicroDollars }: LivePlan): string {
  const calls = new Map<string, number>();
  for (const { entry } of trials) {
    const { provider, origin } = entry.provider;
    const line = `${provider}${entry.path} at ${origin}`;
    calls.set(line, (calls.get(line) ?? 0) + 1);
  }
  const shown = [...calls].slice(0, MAX_LINES);
  return [
    ...shown.map(([line, number]) => `  ${line}${number === 1 ? "" : `, ${number} times`}`),
    ...(calls.size > shown.length ? [`  and ${calls.size - shown.length} more endpoints`] : []),
    `${countWords(trials.length, "example")} would be tried at real providers, and cost ${formatDollars(atProvidersMicroDollars)} at most there by the prices of the files (${formatDollars(maximumMicroDollars)} to callers); what a provider bills beyond its file's price is not known here. No wallet is charged.`,
    ...wordLeftOut(leftOut),
  ].join("\n");
}

const MAX_LINES = 40;

function wordLeftOut(leftOut: readonly LeftOut[]): string[] {
  const groups = new Map<string, string[]>();
  for (const { provider, endpoint, why } of leftOut) {
    groups.set(why, [...(groups.get(why) ?? []), `${provider}${endpoint}`]);
  }
  return [...groups].map(([why, names]) => {
    const [first = "", ...others] = new Set(names);
    return `Left out: ${first}${others.length === 0 ? "" : ` and ${others.length} more`}: ${why}`;
  });
}

/** The results. Ends with a line break. */
export function renderLive({ trials, leftOut, kept }: LiveReport): string {
  const failed = trials.filter(({ outcome }) => outcome === "failed").length;
  return [
    ...trials.map(wordTrial),
    `${countWords(trials.length, "example")} tried, ${trials.length - failed} passed, ${failed} failed.`,
    ...wordLeftOut(leftOut),
    ...kept.flatMap(wordKept),
    "",
  ].join("\n");
}

function wordTrial({ provider, endpoint, example, outcome, findings, durationMs, resultCount }: TrialReport): string {
  const results = resultCount === undefined ? "" : `, ${countWords(resultCount, "result")}`;
  return [
    `${outcome}  ${provider}${endpoint}  "${example}"  ${durationMs} ms${results}`,
    ...findings.map(({ what, expected, came }) => `    ${what}: expected ${expected ?? ""}, came ${came ?? ""}`),
  ].join("\n");
}

function wordKept({ file, verified, recorded, notes }: KeptOutcome): string[] {
  return [
    ...(verified.length === 0 ? [] : [`${file}: no longer verified: false: ${verified.join(", ")}`]),
    ...(recorded === 0 ? [] : [`${file}: ${countWords(recorded, "answer")} recorded`]),
    ...notes.map((note) => `${file}: ${note}`),
  ];
}
