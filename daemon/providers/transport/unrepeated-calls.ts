import { type Agent, type buildConnector, Dispatcher, errors, type Pool } from "undici";
import { KeptWhileUsed } from "./kept-while-used.ts";
import { oneCallPool } from "./one-call-pool.ts";
import { OriginConnections, type OriginParts } from "./origin-connections.ts";

export interface UnrepeatedCallsParts extends Pick<OriginParts, "connectEither" | "connectHttp1"> {
  /** For plain http, which only private hosts speak. */
  readonly connectPlain: buildConnector.connector;
  readonly allows: (origin: URL, remoteAddress: string | undefined) => boolean;
}

/** Of one provider, whose answers may name further servers. */
const MOST_ORIGINS = 32;

/**
 * The way of calls that must not be repeated. On a kept connection of HTTP/1.1 it is unknown whether a call was executed
 * when the provider closes it at that moment; so such a call gets one of HTTP/2, whose closing says what was processed, or
 * one of HTTP/1.1 on which nothing was sent before. Decision: 2026-11-22-connections-of-paid-calls.
 */
export class UnrepeatedCalls extends Dispatcher {
  readonly #parts: UnrepeatedCallsParts;
  /** By origin. An agent would make such a pool anew for each call, as soon as the one before has ended its connection. */
  readonly #plain = new KeptWhileUsed<Pool>({
    most: MOST_ORIGINS,
    isBusy: ({ stats }) => stats.size > 0,
    drop: (pool) => void pool.destroy(),
  });
  readonly #origins = new KeptWhileUsed<OriginConnections>({
    most: MOST_ORIGINS,
    isBusy: (origin) => origin.isBusy(),
    drop: (origin) => void origin.destroy(),
  });

  #isDestroyed = false;

  constructor(parts: UnrepeatedCallsParts) {
    super();
    this.#parts = parts;
  }

  /** Throws undici's error for a dispatcher that was destroyed. */
  override dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (this.#isDestroyed) throw new errors.ClientDestroyedError();
    const origin = String(request.origin);
    if (!origin.startsWith("https:")) return this.#plainTo(origin).dispatch(request, handler);
    void this.#to(new URL(origin)).dispatch(request, handler);
    return true;
  }

  override async destroy(): Promise<void> {
    this.#isDestroyed = true;
    const all = this.#origins.clear();
    await Promise.all([...this.#plain.clear(), ...all].map((connections) => connections.destroy()));
  }

  /** A call is under way, or something is known of a server that the next call has to heed. */
  isBusy(): boolean {
    return (
      this.#plain.values().some(({ stats }) => stats.size > 0) ||
      this.#origins.values().some((origin) => origin.isBusy())
    );
  }

  #plainTo(origin: string): Pool {
    return this.#plain.get(origin, () => oneCallPool(origin, this.#parts.connectPlain));
  }

  #to(url: URL): OriginConnections {
    const { connectEither, connectHttp1, allows } = this.#parts;
    const make = () =>
      new OriginConnections({
        origin: url.origin,
        connectEither,
        connectHttp1,
        allows: (remoteAddress) => allows(url, remoteAddress),
      });
    return this.#origins.get(url.origin, make);
  }
}

export function hasCalls({ stats }: Agent): boolean {
  return Object.values(stats).some(({ size }) => size > 0);
}
