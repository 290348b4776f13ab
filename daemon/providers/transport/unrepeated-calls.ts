import { Agent, type buildConnector, Dispatcher } from "undici";
import { OriginConnections, type OriginParts } from "./origin-connections.ts";

export interface UnrepeatedCallsParts extends Pick<OriginParts, "connectEither" | "connectHttp1"> {
  /** For plain http, which only private hosts speak. */
  readonly connectPlain: buildConnector.connector;
  readonly allows: (origin: URL, remoteAddress: string | undefined) => boolean;
}

/**
 * The way of calls that must not be repeated. On a kept connection of HTTP/1.1 it is unknown whether a call was executed
 * when the provider closes it at that moment; so such a call gets one of HTTP/2, whose closing says what was processed, or
 * one of HTTP/1.1 on which nothing was sent before. Decision: 2026-11-22-connections-of-paid-calls.
 */
export class UnrepeatedCalls extends Dispatcher {
  readonly #parts: UnrepeatedCallsParts;
  readonly #plain: Agent;
  readonly #origins = new Map<string, OriginConnections>();

  constructor(parts: UnrepeatedCallsParts) {
    super();
    this.#parts = parts;
    this.#plain = new Agent({ connect: parts.connectPlain, pipelining: 0 });
  }

  override dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const url = new URL(String(request.origin));
    if (url.protocol !== "https:") return this.#plain.dispatch(request, handler);
    void this.#to(url).dispatch(request, handler);
    return true;
  }

  override async destroy(): Promise<void> {
    const all = [...this.#origins.values()];
    this.#origins.clear();
    await Promise.all([this.#plain.destroy(), ...all.map((origin) => origin.destroy())]);
  }

  #to(url: URL): OriginConnections {
    const { connectEither, connectHttp1, allows } = this.#parts;
    const known =
      this.#origins.get(url.origin) ??
      new OriginConnections({
        origin: url.origin,
        connectEither,
        connectHttp1,
        allows: (remoteAddress) => allows(url, remoteAddress),
      });
    this.#origins.set(url.origin, known);
    return known;
  }
}
