import {
  ceilToMicroDollars,
  formatDollars,
  type MicroDollars,
  microDollars,
  NO_MONEY,
} from "../../../shared/micro-dollars.ts";
import { ApiError } from "../../../shared/errors.ts";
import { fromDecimal, MAX_TEXT_DIGITS } from "../../../shared/rational.ts";
import { markUpCost, mostCostWithin } from "../../billing/market-cost.ts";
import { PriceError } from "../../billing/price-error.ts";
import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import { memberDeadlineMs } from "../../catalog/entries/own-deadline.ts";
import type { MarketRecord } from "../../ledger/records/market-record.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";
import type { MarketEndpoint } from "../../manifest/manifest.ts";
import type { MarketQuote, MarketQuoter, MarketTerms } from "../../providers/protocol/provider.ts";
import { leftOfDeadlineMs } from "../deadlines/run-deadline.ts";
import type { MarketId } from "./market-id.ts";

/** What a run at a market may cost, and what its record says of the market. */
export interface MarketPlan {
  /** Absent where the price of the catalog decides. */
  readonly price?: { readonly estimate: MicroDollars; readonly maximum: MicroDollars };
  /** The market said no price, and none is known here: a run of it may cost nothing until it does. */
  readonly isUnpriced?: true;
  readonly market: MarketRecord;
}

export interface MarketAsked {
  readonly entry: CatalogEntry;
  readonly input: RunRecord["input"];
  readonly deadlineMs: number;
  readonly maxCostMicroDollars: MicroDollars | undefined;
  /** Pages of a list, where the caller says how many. */
  readonly maxPages: number | undefined;
  /** Ids of the markets that the run came through. */
  readonly hops: readonly string[];
  /** Aborts when nobody wants the run any more. */
  readonly signal?: AbortSignal | undefined;
  /** For a member of a route. */
  readonly asMember?: MemberAsked | undefined;
}

export interface MemberAsked {
  /** Aborts when its price is not waited for any longer; the market is then taken as one that gives none. */
  readonly patience: AbortSignal | undefined;
  /** The market did not answer, however long that took. */
  readonly onUnreachable: () => void;
}

/** The time that a market's answer may take to arrive here before the run here is over. */
const MOST_MARGIN_MS = 5_000;
const LEAST_MARGIN_MS = 250;
const LEAST_DEADLINE_MS = 1_000;
const MARGIN_SHARE = 0.05;

/** Asks markets what runs would cost. */
export class MarketDesk {
  readonly #quoter: MarketQuoter;
  readonly #id: MarketId;

  constructor(quoter: MarketQuoter, id: MarketId) {
    this.#quoter = quoter;
    this.#id = id;
  }

  /**
   * Undefined for an endpoint that is not served by a market. Throws ApiError for what the market says is wrong with the
   * input, and PriceError where nobody knows what the run may cost at most. docs/markets.md, "Money"
   */
  async plan(asked: MarketAsked): Promise<MarketPlan | undefined> {
    const { entry } = asked;
    const { run } = entry.request;
    if (run === undefined) return undefined;
    const percent = entry.marketMarkup;
    const market: MarketRecord = {
      host: new URL(entry.http.baseUrl).host,
      ...(percent !== undefined && { markupPercent: percent }),
      hops: [...asked.hops, await this.#id.get()],
    };
    if (!run.additions) return { market, ...withoutQuote(asked) };
    const answer = await this.#quote(asked, run, market);
    refuseToWait(answer, run, market);
    const quote = toTerms(answer, asked);
    const maximum = microDollars(quote.maximum);
    const told = { ...market, maximum };
    if (percent === undefined) return { market: told };
    return {
      market: told,
      ...(quote.isUnpriced && { isUnpriced: true }),
      price: { estimate: markUpCost(quote.estimate, percent), maximum: markUpCost(maximum, percent) },
    };
  }

  async #quote(asked: MarketAsked, run: MarketEndpoint, { hops, markupPercent }: MarketRecord) {
    const { entry, input, deadlineMs, maxPages } = asked;
    const terms = {
      hops,
      ...deadlineAt(run, deadlineMs),
      ...(maxPages !== undefined && { maxPages }),
      ...limitOfPages(asked, run, markupPercent),
    };
    const { signal = new AbortController().signal, asMember } = asked;
    const answer = this.#quoter.quoteAtMarket({ entry, input, market: terms }, { signal }).catch((error: unknown) => {
      throw signal.aborted
        ? new ApiError(
            "unavailable",
            "Nobody waits for this run any more, or the service stops; try again in a moment",
            {
              cause: error,
              retryAfterSeconds: 5,
            },
          )
        : error;
    });
    return asMember === undefined ? await answer : await answerInTime(answer, asMember);
  }
}

/** The question goes on when its answer comes too late for this run: only its end tells that the market is away. */
async function answerInTime(
  answer: Promise<MarketQuote>,
  { patience, onUnreachable }: MemberAsked,
): Promise<MarketQuote> {
  answer.then(
    ({ kind }) => void (kind === "unreachable" && onUnreachable()),
    () => {},
  );
  if (patience === undefined) return await answer;
  return await new Promise<MarketQuote>((resolve, reject) => {
    const giveUp = () => resolve({ kind: "unreachable" });
    patience.addEventListener("abort", giveUp, { once: true });
    if (patience.aborted) giveUp();
    answer.then(resolve, reject).finally(() => patience.removeEventListener("abort", giveUp));
  });
}

/**
 * Throws 403 for a run that a person there would have to approve, where it is expected to answer at once: nobody does that
 * within seconds, and it would only time out. A background run may wait for it.
 */
function refuseToWait(quote: MarketQuote, { mode }: MarketEndpoint, { host }: MarketRecord): void {
  if (mode !== "sync" || quote.kind !== "quoted" || quote.approvalAboveMicroDollars === undefined) return;
  const above = formatDollars(microDollars(quote.approvalAboveMicroDollars));
  const message =
    `${host} has a person approve runs above ${above}, which cannot be waited for here; nothing was called or held. ` +
    "Ask its operator for a key without that rule, or for less: a lower maxPages or another input";
  throw new ApiError("forbidden", message);
}

/**
 * A market that gives no quote gets the run all the same, so that its answer is the run's and its outage counts as one; it
 * may then charge the price that is known of a call, else nothing.
 */
function toTerms(
  quote: MarketQuote,
  { entry }: MarketAsked,
): { readonly estimate: number; readonly maximum: number; readonly isUnpriced?: boolean } {
  if (quote.kind === "quoted") return { estimate: quote.estimateMicroDollars, maximum: quote.maximumMicroDollars };
  if (quote.kind === "refused" && quote.httpStatus === 400) throw new ApiError("invalidInput", quote.message);
  if (quote.kind === "refused" && quote.httpStatus === 508) throw new ApiError("loopDetected", quote.message);
  const { priceWithoutMarkup: price } = entry;
  if (price.type !== "PER_CALL") return { estimate: NO_MONEY, maximum: NO_MONEY, isUnpriced: true };
  const known = markUpCost(Number(ceilToMicroDollars(fromDecimal(price.amount, MAX_TEXT_DIGITS))), 0);
  return { estimate: known, maximum: known };
}

/**
 * What a list may cost there, so that reading ends within the caller's maxCost instead of being refused. With a price of
 * the operator's own, what the caller pays says nothing of what the market charges.
 */
function limitOfPages(
  { maxCostMicroDollars }: MarketAsked,
  { maxPages = 1 }: MarketEndpoint,
  percent: number | undefined,
): Pick<MarketTerms, "maxCostMicroDollars"> {
  if (maxPages === 1 || maxCostMicroDollars === undefined || percent === undefined) return {};
  return { maxCostMicroDollars: mostCostWithin(maxCostMicroDollars, percent) };
}

/** The compatible interface alone has no quotes: only a price of a call, or the caller's own limit, is a maximum. */
function withoutQuote({ entry, maxCostMicroDollars }: MarketAsked): Pick<MarketPlan, "price"> {
  if (entry.price.type === "PER_CALL") return {};
  if (maxCostMicroDollars !== undefined)
    return { price: { estimate: maxCostMicroDollars, maximum: maxCostMicroDollars } };
  throw new PriceError(
    "The maximum cost of this run is not known: its market gives no quotes. Say the most that it may cost with maxCost (mkt run --max-cost 0.10)",
  );
}

/** The deadline of a run at its market: a little before the run's own, so that its end arrives in time. */
function deadlineAt(run: MarketEndpoint, leftMs: number): Pick<MarketTerms, "deadlineMs"> {
  if (run.deadlineMs === undefined) return {};
  const margin = Math.min(MOST_MARGIN_MS, Math.max(LEAST_MARGIN_MS, leftMs * MARGIN_SHARE));
  return { deadlineMs: Math.max(LEAST_DEADLINE_MS, Math.min(run.deadlineMs, Math.floor(leftMs - margin))) };
}

/**
 * What a run asks of its market. Read from the run's durable record alone, so that every try of it asks the same, also
 * after a restart.
 */
export function termsOf(run: RunRecord, entry: CatalogEntry): MarketTerms | undefined {
  const { request } = entry;
  if (run.market === undefined || request.run === undefined) return undefined;
  const { maximum, hops } = run.market;
  const { maxPages } = run;
  // What happened since the start is left out: it would shorten the deadline of a later try.
  const { stopRequestedAt: _, ...asked } = run;
  const wholeMs = leftOfDeadlineMs({ ...asked, attempts: [] }, Date.parse(run.startedAt ?? run.createdAt));
  // A member is left when its own time is up, and its run must then not go on there: one that answers at once cannot be stopped.
  const leftMs = run.route === undefined ? wholeMs : memberDeadlineMs(entry, wholeMs);
  return {
    ...(maximum !== undefined && { maxCostMicroDollars: maximum }),
    ...(maxPages !== undefined && { maxPages }),
    ...deadlineAt(request.run, leftMs),
    hops,
  };
}
