import { ApiError } from "../../../shared/errors.ts";
import { estimateCost } from "../../billing/estimate.ts";
import { PriceError } from "../../billing/price-error.ts";
import { mostPages } from "../../catalog/entries/most-pages.ts";
import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import { memberDeadlineMs } from "../../catalog/entries/own-deadline.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";
import { readEstimateFacts } from "../../providers/answer/read-estimate-facts.ts";
import type { PageLimits } from "../../providers/protocol/provider.ts";

const UNKNOWN_AT_MARKET = "whose file names no pages of its market (mkt catalog add-market reads them again)";

/** The pages that the caller lets the run read; undefined for an endpoint without pages, and where its market decides. */
export function pagesAreWithinEndpoint(entry: CatalogEntry, asked: number | undefined): number | undefined {
  const most = mostPages(entry);
  const isAtMarket = entry.request.run !== undefined;
  if (asked !== undefined && asked > most) {
    const what = most > 1 ? "the most that it reads" : isAtMarket ? UNKNOWN_AT_MARKET : "which answers in one page";
    const name = `${entry.provider.provider}${entry.path}`;
    throw new ApiError("invalidInput", `maxPages must be at most ${most} for ${name}, ${what} (got ${asked})`);
  }
  // Another market reads as far as it then does, unless the caller says how far.
  if (isAtMarket) return asked;
  return asked ?? (most === 1 ? undefined : most);
}

/** How far a run may read, by its record; undefined where its file alone decides. */
export function limitsOf(run: RunRecord, entry: CatalogEntry): PageLimits | undefined {
  // A run that was accepted when its file had no pages has paid for one.
  if (run.maxPages === undefined)
    return entry.pages === undefined ? undefined : { maxPages: 1, mayReadOn: () => false };
  return { maxPages: run.maxPages, mayReadOn: (soFar) => fitsAnotherPage(run, entry, soFar) };
}

/** What is held covers what was read and another page at its dearest: nobody pays for a page beyond the hold. */
function fitsAnotherPage(run: RunRecord, entry: CatalogEntry, soFar: Parameters<PageLimits["mayReadOn"]>[0]): boolean {
  // As its maximum was computed: with the member's own time, which the run's is longer than.
  const deadlineMs = run.route === undefined ? run.deadlineMs : memberDeadlineMs(entry, run.deadlineMs);
  const { estimate, callerBound } = readEstimateFacts(entry, run.input, deadlineMs);
  const read = Math.max(soFar.count ?? 0, soFar.units ?? 0);
  const facts = {
    input: run.input,
    estimate: { max: read + (callerBound ?? estimate.max ?? NaN) },
    deadlineMs,
    calls: (soFar.calls ?? 0) + 1,
  };
  try {
    return estimateCost(run.price, facts).maximum <= (run.route?.maximumMicroDollars ?? run.heldMicroDollars);
  } catch (error) {
    // What was measured so far cannot be read, so it is not known what another page would cost.
    if (error instanceof PriceError) return false;
    throw error;
  }
}
