import { setMaxListeners } from "node:events";
import type { Client } from "../../shared/client/client.ts";
import { ServiceError } from "../../shared/client/service-error.ts";
import type { EndpointMetrics } from "../../shared/contract/discovery.ts";
import type { RunListItem } from "../../shared/contract/runs.ts";
import { isTerminal } from "../run/run-outcome.ts";
import { targetWords } from "../words/target.ts";
import { providerTrends } from "./provider-trends.ts";
import type { TopRun, TopSnapshot } from "./top-snapshot.ts";
import { openRunStatuses } from "../../shared/run-status.ts";

/** Newest runs that are looked at; the most that one page has. */
const LOOKED_AT = 100;
const SHOWN_ENDED = 20;
/** Runs that are asked one by one how far they are. */
const ASKED_FOR_PROGRESS = 5;
/** Endpoints that are asked for their health, and how long the answer counts: it changes slowly. */
const ASKED_FOR_HEALTH = 8;
const HEALTH_MS = 30_000;

type Health = EndpointMetrics["status"];

/** Reads what `mkt top` shows, again and again. */
export class TopReader {
  readonly #client: Client;
  readonly #url: string;
  readonly #health = new Map<string, { readonly status: Health; readonly askedAtMs: number }>();

  constructor(client: Client, url: string) {
    this.#client = client;
    this.#url = url;
  }

  /** Rejects as the client does; what the key may not see is left out, but for its runs. */
  async read(signal: AbortSignal): Promise<TopSnapshot> {
    const client = this.#client;
    // All of the requests below listen to it at once.
    setMaxListeners(0, signal);
    const midnight = `${new Date().toISOString().slice(0, 10)}T00:00:00Z`;
    const [newest, going, usage, budgets, wallet] = await Promise.all([
      client.listRuns({ query: { limit: LOOKED_AT } }, { signal }),
      client.listRuns({ query: { limit: LOOKED_AT, status: [...openRunStatuses] } }, { signal }),
      client.getUsage({ query: { since: midnight } }, { signal }),
      unlessForbidden(client.listBudgets({}, { signal })),
      unlessForbidden(client.getWalletBalance({}, { signal })),
    ]);
    const ended = newest.items.filter(isTerminal);
    const [runs] = await Promise.all([this.#withProgress(going.items, signal), this.#readHealth(ended, signal)]);
    const health = new Map([...this.#health].map(([target, { status }]) => [target, status]));
    return {
      at: new Date().toISOString(),
      url: this.#url,
      inFlight: {
        runs,
        queued: countOf(runs, "READY"),
        running: countOf(runs, "RUNNING"),
        stopping: countOf(runs, "STOPPING"),
        isAll: going.cursor === null || going.cursor === undefined,
      },
      ended: ended.slice(0, SHOWN_ENDED),
      providers: providerTrends(newest.items, health),
      today: usage.total,
      ...(budgets && { budgets: budgets.items }),
      ...(wallet && {
        wallet: { balance: wallet.balance, held: wallet.held, ...(wallet.unlimited && { unlimited: true }) },
      }),
    };
  }

  async #withProgress(runs: readonly RunListItem[], signal: AbortSignal): Promise<TopRun[]> {
    return await Promise.all(
      runs.map(async (run, index) => {
        if (index >= ASKED_FOR_PROGRESS || run.status !== "RUNNING") return run;
        const { progress, progressUnit } = await this.#client.getRun({ params: { runId: run.runId } }, { signal });
        return {
          ...run,
          ...(progress !== undefined && { progress }),
          ...(progressUnit !== undefined && { progressUnit }),
        };
      }),
    );
  }

  async #readHealth(runs: readonly RunListItem[], signal: AbortSignal): Promise<void> {
    const targets = new Map(runs.map((run) => [targetWords(run), run]));
    const now = performance.now();
    const due = [...targets].filter(([target]) => now - (this.#health.get(target)?.askedAtMs ?? -Infinity) > HEALTH_MS);
    await Promise.all(
      due.slice(0, ASKED_FOR_HEALTH).map(async ([target, { provider, endpoint }]) => {
        // An endpoint may have left the catalog since it was run.
        const found = await unlessMissing(this.#client.inspectEndpoint({ body: { provider, endpoint } }, { signal }));
        this.#health.set(target, { status: found?.metrics?.status ?? "unknown", askedAtMs: now });
      }),
    );
  }
}

function countOf(runs: readonly RunListItem[], status: string): number {
  return runs.filter((run) => run.status === status).length;
}

const unlessForbidden = <Answer>(answer: Promise<Answer>) => unlessStatus(answer, [403]);
const unlessMissing = <Answer>(answer: Promise<Answer>) => unlessStatus(answer, [403, 404]);

async function unlessStatus<Answer>(answer: Promise<Answer>, statuses: readonly number[]): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ServiceError && statuses.includes(error.status)) return undefined;
    throw error;
  }
}
