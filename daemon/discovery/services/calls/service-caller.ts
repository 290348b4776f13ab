import { setTimeout as delay } from "node:timers/promises";
import { Agent, buildConnector } from "undici";
import { readWaitMs } from "../../../providers/pace/retry.ts";
import { type Exchange, ExchangeError, send, type SendOptions } from "../../../providers/sending/send.ts";
import { ConnectingSockets } from "../../../providers/transport/connecting-sockets.ts";
import { ServiceFailed } from "./service-failed.ts";

/** One JSON route of a service. */
export interface ServiceCaller {
  /** The body of the response. Rejects only with `ServiceFailed`. */
  post(body: object, limits: CallLimits): Promise<unknown>;
  /** Cancels the calls in progress. */
  close(): Promise<void>;
}

export interface CallLimits {
  /** In total, including a second attempt. */
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  /** The maximum in the JSON of an answer; absent: the limit for any provider's answer. */
  readonly maxValues?: number;
}

const CONNECT_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_MS = 4_000;
const MAX_CONNECTIONS = 8;
/** A broken connection or an overload is retried once, after this delay. */
const RETRY_DELAY_MS = 100;

/** The operator set the address, so it may be a private one; redirects are not followed. */
export function createServiceCaller({ url, key }: { readonly url: string; readonly key?: string }): ServiceCaller {
  const connecting = new ConnectingSockets();
  const connector = connecting.track(buildConnector({ timeout: CONNECT_TIMEOUT_MS }));
  const dispatcher = new Agent({
    connect: connector,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connections: MAX_CONNECTIONS,
    pipelining: 1,
  });
  const headers = {
    "content-type": "application/json",
    accept: "application/json",
    "accept-encoding": "gzip, deflate, br",
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  const underWay = new Set<AbortController>();

  async function attempt(body: string, options: SendOptions): Promise<unknown> {
    const request = { method: "POST", url: new URL(url), headers, body } as const;
    try {
      return answerOf(await send(request, options));
    } catch (error) {
      throw toServiceFailed(error, request.url.host);
    }
  }

  return {
    async post(body, { timeoutMs, maxResponseBytes, maxValues }) {
      const text = JSON.stringify(body);
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(), timeoutMs);
      underWay.add(controller);
      const options: SendOptions = {
        dispatcher,
        guard: { check: () => {} },
        signal: controller.signal,
        maxResponseBytes,
        media: "json",
        // The services compute vectors and scores as doubles.
        json: { numbers: "nearest", ...(maxValues !== undefined && { maxValues }) },
      };
      try {
        return await attempt(text, options).catch(async (error: ServiceFailed) => {
          if (error.kind !== "away" || controller.signal.aborted) throw error;
          await delay(RETRY_DELAY_MS, undefined, { signal: controller.signal }).catch(() => {
            throw error;
          });
          return await attempt(text, options);
        });
      } finally {
        clearTimeout(timer);
        underWay.delete(controller);
      }
    },
    async close() {
      for (const controller of underWay) controller.abort();
      await connecting.endWith(dispatcher);
    },
  };
}

/** The body of a successful response. Throws ServiceFailed for any other. */
function answerOf(exchange: Exchange): unknown {
  const { status, body } = exchange;
  if (status >= 200 && status < 300) return body;
  if (status < 400) throw new ServiceFailed("nonsense", `it answers ${status}, and redirects are not followed`);
  if (status === 401 || status === 403) throw new ServiceFailed("refused", `it refuses the key (${status})`);
  if (status === 429) {
    throw new ServiceFailed(
      "busy",
      "it answers 429: too many requests",
      readWaitMs(exchange, ["retry-after"], Date.now()),
    );
  }
  if (status < 500) throw new ServiceFailed("rejected", `it does not take the request (${status})`);
  throw new ServiceFailed("away", `it answers ${status}`);
}

function toServiceFailed(error: unknown, host: string): ServiceFailed {
  if (error instanceof ServiceFailed) return error;
  if (!(error instanceof ExchangeError)) return new ServiceFailed("away", "it could not be asked");
  if (error.kind === "aborted") return new ServiceFailed("slow", "it gave no answer in time");
  const words = error.message.startsWith(`${host}: `) ? error.message.slice(host.length + 2) : error.message;
  return error.kind === "unreadable" ? new ServiceFailed("nonsense", words) : new ServiceFailed("away", words);
}
