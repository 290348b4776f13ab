import { type Clock, isoNow } from "../base/clock.ts";
import type { WorkspaceId } from "../base/ids.ts";
import type { Logger } from "../base/logger.ts";
import { type FinishedRun, judgeRun } from "../discovery/health/judge-run.ts";
import type { HealthSource } from "../discovery/health/health.ts";
import { recordCondition } from "../ledger/transaction/record-condition.ts";
import type { Committer } from "../ledger/transaction/transaction.ts";
import type { WebhookStore } from "../ledger/stores/webhook-store.ts";

/** An outage also ends by time alone, when its failed runs are old. docs/contract.md, "Health". */
const LOOK_EVERY_MS = 60_000;
const CONDITION = "endpoint.outage ";

export interface OutageWatchParts {
  readonly store: Committer & Pick<WebhookStore, "listWebhookWorkspaces" | "listConditions">;
  readonly health: HealthSource;
  readonly clock: Clock;
  readonly logger: Pick<Logger, "error">;
}

/** Tells each workspace when an endpoint goes into an outage in its eyes, and when it comes out of it. */
export interface OutageWatch extends AsyncDisposable {
  /** Looks at the outages that were told before, also by an earlier process, now and then. */
  start(): Promise<void>;
  /** A run has ended, and health has observed it. */
  observe(run: FinishedRun): void;
  /** Looks at all outages that were told; resolves when nothing is left to look at. */
  look(): Promise<void>;
  close(): Promise<void>;
}

interface Endpoint {
  readonly provider: string;
  readonly endpoint: string;
}

export function createOutageWatch(parts: OutageWatchParts): OutageWatch {
  return new Watch(parts);
}

class Watch implements OutageWatch {
  readonly #parts: OutageWatchParts;
  /** Endpoints to look at; each once, however many of its runs end meanwhile. */
  readonly #pending = new Map<string, Endpoint>();
  /** Endpoints in an outage that some workspace was told of. */
  readonly #out = new Map<string, Endpoint>();
  #working: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(parts: OutageWatchParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    for (const { condition } of await this.#parts.store.listConditions()) {
      const endpoint = endpointOf(condition);
      if (endpoint !== undefined) this.#out.set(nameOf(endpoint), endpoint);
    }
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
  }

  observe(run: FinishedRun): void {
    const isError = judgeRun(run, undefined, this.#parts.clock.now())?.isError === true;
    if (isError || this.#out.has(nameOf(run))) this.#ask(run);
  }

  async look(): Promise<void> {
    for (const endpoint of this.#out.values()) this.#ask(endpoint);
    await this.#working;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#working;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #ask({ provider, endpoint }: Endpoint): void {
    if (this.#isClosed) return;
    this.#pending.set(nameOf({ provider, endpoint }), { provider, endpoint });
    this.#working ??= this.#work();
  }

  async #work(): Promise<void> {
    try {
      for (let [next] = this.#pending; next !== undefined && !this.#isClosed; [next] = this.#pending) {
        const [name, endpoint] = next;
        this.#pending.delete(name);
        await this.#judge(endpoint);
      }
    } catch (error) {
      this.#parts.logger.error({ err: error }, "outages could not be recorded for webhooks");
    } finally {
      this.#working = undefined;
    }
  }

  async #judge(endpoint: Endpoint): Promise<void> {
    const { store } = this.#parts;
    const condition = `${CONDITION}${nameOf(endpoint)}`;
    const told = (await store.listConditions()).filter((one) => one.condition === condition);
    const since = new Map(told.map((one) => [one.workspaceId, one.since]));
    const listening = new Set([...since.keys(), ...(await store.listWebhookWorkspaces())]);
    let isOutForSome = false;
    for (const workspaceId of listening) {
      const isOut = await this.#tell({ workspaceId, endpoint, condition, since: since.get(workspaceId) });
      isOutForSome ||= isOut;
    }
    if (isOutForSome) this.#out.set(nameOf(endpoint), endpoint);
    else this.#out.delete(nameOf(endpoint));
  }

  /** Returns whether the workspace is told of an outage that goes on. */
  async #tell({
    workspaceId,
    endpoint: { provider, endpoint },
    condition,
    since,
  }: {
    readonly workspaceId: WorkspaceId;
    readonly endpoint: Endpoint;
    readonly condition: string;
    readonly since: string | undefined;
  }): Promise<boolean> {
    const { store, health, clock } = this.#parts;
    const { status } = health.metrics(provider, endpoint, workspaceId);
    const holds = status === "outage";
    const isTold = since !== undefined;
    if (holds === isTold) return isTold;
    const at = isoNow(clock);
    const key = `${provider}${endpoint} ${since ?? at}`;
    const event = holds
      ? ({ type: "endpoint.outage_began", key, data: { provider, endpoint, status } } as const)
      : ({ type: "endpoint.outage_ended", key, data: { provider, endpoint, status, since } } as const);
    return (await recordCondition(store, { workspaceId, condition, holds, at, event })) && holds;
  }
}

/** A path begins with a slash, which no provider's slug has. */
function nameOf({ provider, endpoint }: Endpoint): string {
  return `${provider}${endpoint}`;
}

function endpointOf(condition: string): Endpoint | undefined {
  if (!condition.startsWith(CONDITION)) return undefined;
  const name = condition.slice(CONDITION.length);
  const slash = name.indexOf("/");
  return slash < 0 ? undefined : { provider: name.slice(0, slash), endpoint: name.slice(slash) };
}
