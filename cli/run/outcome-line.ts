import { durationWords } from "../../shared/words/duration-words.ts";
import { dollars } from "../../shared/words/money-words.ts";
import { runPriceWords } from "../../shared/words/price-words.ts";
import { isDelivered, statusWords } from "../words/run-status-words.ts";
import type { AnyRun } from "./run-outcome.ts";

/** How a run ended, in one line: `COMPLETED · $0.0015 · 275 ms · run 01M8…`. `status` is what it begins with. */
export function outcomeLine(run: AnyRun): { readonly status: string; readonly line: string } {
  const status = statusWords(run);
  const earlier = earlierWords(run);
  const parts = [status, costWords(run), earlier && `answer of ${earlier}`, tookWords(run), `run ${run.runId}`];
  return { status, line: parts.filter((part) => part !== undefined).join(" · ") };
}

function costWords(run: AnyRun): string | undefined {
  if (run.cost === undefined) return undefined;
  const vendorBills = isDelivered(run) && run.price.detail?.billedByVendor === true;
  return vendorBills ? runPriceWords(run.price, run) : dollars(run.cost.value);
}

/** `run 01M8…, 12 min 3 s old, $0.02 saved`. */
export function earlierWords({ answeredFrom }: Pick<AnyRun, "answeredFrom">): string | undefined {
  if (answeredFrom === undefined) return undefined;
  const { runId, ageSeconds, saved } = answeredFrom;
  return `run ${runId}, ${durationWords(ageSeconds * 1_000)} old, ${dollars(saved.value)} saved`;
}

/** From its acceptance to its end; undefined where it has not ended. */
export function tookWords({ createdAt, completedAt }: Pick<AnyRun, "createdAt" | "completedAt">): string | undefined {
  const ms = completedAt === undefined ? Number.NaN : Date.parse(completedAt) - Date.parse(createdAt);
  return Number.isNaN(ms) ? undefined : durationWords(Math.max(ms, 0));
}
