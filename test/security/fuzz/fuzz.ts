import fc from "fast-check";
import type { Answer } from "../../support/request.ts";
import { homes } from "./callers.ts";
import { endpointsOf } from "./document.ts";
import type { FuzzMarket } from "./fuzz-market.ts";
import { judgeBy } from "./judge-answer.ts";
import { type FuzzRequest, requestsOf } from "./requests.ts";
import { openSender, toCurl, toWire, type Wire } from "./send.ts";

/** What was tried of one operation. */
export interface Row {
  tried: number;
  succeeded: number;
  refused: number;
  /** 503 with Retry-After. */
  shed: number;
  /** 5xx other than those, and other than what mirrors a provider. */
  failed: number;
  slowestMs: number;
}

/** A request that was answered wrongly, made as small as it could be. */
export interface Fault {
  readonly operationId: string;
  readonly what: string;
  readonly curl: string;
  readonly answer: string;
  /** How often it was seen. */
  times: number;
}

export interface FuzzReport {
  readonly rows: ReadonlyMap<string, Row>;
  readonly faults: readonly Fault[];
  readonly sent: number;
  /** Runs that were answered as taken and that cost something. */
  readonly paid: number;
}

/** So many requests are under way at once, each in a sequence of its own. */
const LANES = 4;
/** Requests that making one fault small may take. */
const MAX_SHRINKS = 150;
const MAX_FAULTS = 25;

/**
 * Sends so many requests and judges every answer. The same seed makes the same requests, as far as the ids that they
 * name come back in the same order.
 */
export async function fuzz(market: FuzzMarket, { count, seed }: { count: number; seed: number }): Promise<FuzzReport> {
  const { ids, document } = market;
  const sender = openSender(market);
  const judge = judgeBy(document, market.secrets);
  const rows = new Map(endpointsOf(document).map(({ operationId }) => [operationId, emptyRow()]));
  const faults = new Map<string, Fault>();
  const requests = requestsOf(document, market);
  let [sent, paid] = [0, 0];

  async function tryOne(request: FuzzRequest): Promise<Fault | undefined> {
    const wire = toWire(request, market);
    const begin = performance.now();
    const answer = await sender.send(wire).catch((error: unknown) => error);
    const row = rows.get(request.operationId)!;
    row.slowestMs = Math.max(row.slowestMs, performance.now() - begin);
    row.tried += 1;
    sent += 1;
    if (answer instanceof Error || !isAnswer(answer))
      return toFault(request, wire, [`no answer: ${String(answer)}`], "");
    if (request.operationId === "startRun" && isPaid(answer)) paid += 1;
    if (answer.status < 300) row.succeeded += 1;
    else if (answer.status < 500) row.refused += 1;
    else if (answer.status === 503 && answer.headers.has("retry-after")) row.shed += 1;
    const wrong = judge.faultsOf(request, answer);
    if (wrong.some((what) => /^5\d\d$/.test(what))) row.failed += 1;
    ids.learn(homes[request.as], request.operationId, answer.body);
    return wrong.length === 0 ? undefined : toFault(request, wire, wrong, `${answer.status} ${answer.text}`);
  }

  /** One sequence; a fault that is new ends it, once it is small, and what is left of it goes on behind. */
  async function lane(runs: number, laneSeed: number, drawn = requests): Promise<void> {
    for (let left = runs, turn = 0; left > 0 && faults.size < MAX_FAULTS; turn += 1) {
      let smallest: Fault | undefined;
      let tries = 0;
      const property = fc.asyncProperty(drawn, async (request) => {
        if (smallest !== undefined && (tries += 1) > MAX_SHRINKS) return;
        const fault = await tryOne(request);
        if (fault === undefined) return;
        const name = `${fault.operationId} ${fault.what}`;
        const known = faults.get(name);
        if (smallest === undefined && known !== undefined) {
          known.times += 1;
          return;
        }
        // Another fault on the way to a smaller one is not the one that is being made small.
        if (smallest !== undefined && `${smallest.operationId} ${smallest.what}` !== name) return;
        smallest = fault;
        faults.set(name, fault);
        throw new Error(name);
      });
      const { numRuns, failed, errorInstance } = await fc.check(property, {
        numRuns: left,
        seed: laneSeed + turn * LANES,
      });
      // No fault of the service, but of what asks and judges it.
      if (failed && smallest === undefined) throw errorInstance;
      left -= numRuns;
    }
  }

  const share = Math.ceil(count / LANES);
  try {
    await Promise.all(Array.from({ length: LANES }, async (_, index) => await lane(share, seed + index)));
    // What chance left out: a route more must not depend on the luck of the others.
    for (const [operationId, row] of rows) {
      if (row.tried === 0) {
        await lane(
          1,
          seed,
          requests.filter((request) => request.operationId === operationId),
        );
      }
    }
  } finally {
    await sender.close();
  }
  return { rows, faults: [...faults.values()], sent, paid };
}

function emptyRow(): Row {
  return { tried: 0, succeeded: 0, refused: 0, shed: 0, failed: 0, slowestMs: 0 };
}

function toFault(request: FuzzRequest, wire: Wire, wrong: readonly string[], answer: string): Fault {
  const { operationId } = request;
  return { operationId, what: wrong.join("; "), curl: toCurl(request, wire), answer: answer.slice(0, 300), times: 1 };
}

function isAnswer(value: unknown): value is Answer {
  return typeof value === "object" && value !== null && "status" in value;
}

function isPaid({ status, body }: Answer): boolean {
  if (status === 202) return true;
  return body?.status === "COMPLETED" && body.cost?.value > 0;
}

/** One operation a line, the slowest first. */
export function renderRows(rows: ReadonlyMap<string, Row>): string {
  const head = ["operation", "tried", "2xx", "4xx", "503 later", "5xx", "slowest ms"];
  const lines = [...rows]
    .sort(([, one], [, other]) => other.slowestMs - one.slowestMs)
    .map(([name, { tried, succeeded, refused, shed, failed, slowestMs }]) =>
      [name, tried, succeeded, refused, shed, failed, Math.round(slowestMs)].map(String),
    );
  const widths = head.map((title, column) => Math.max(title.length, ...lines.map((line) => line[column]!.length)));
  return [head, ...lines]
    .map((line) =>
      line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join("  "),
    )
    .join("\n");
}

export function renderFault({ operationId, what, curl, answer, times }: Fault): string {
  return `${operationId}: ${what} (${times} times)\n  ${curl}\n  ${answer}`;
}
