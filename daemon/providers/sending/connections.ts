import { Agent, buildConnector, type Dispatcher } from "undici";
import type { CatalogProvider } from "../../catalog/entries/catalog-entry.ts";
import { buildTlsConnector, type Offer } from "../transport/connect-tls.ts";
import { ConnectingSockets } from "../transport/connecting-sockets.ts";
import { TlsTickets } from "../transport/tls-tickets.ts";
import { KeptWhileUsed } from "../transport/kept-while-used.ts";
import { hasCalls, UnrepeatedCalls } from "../transport/unrepeated-calls.ts";
import { type AddressGuard, createAddressGuard, namesHost } from "./address-guard.ts";

/** The connections to one provider. */
export interface Connection {
  readonly guard: AddressGuard;
  /** Keeps connections open between calls. */
  readonly kept: Dispatcher;
  /** For calls that must not be repeated. */
  readonly unrepeated: Dispatcher;
}

interface OpenConnection extends Connection {
  readonly kept: Agent;
  readonly unrepeated: UnrepeatedCalls;
}

export interface ConnectionTarget {
  readonly provider: string;
  /** The version of its file under which the run began; absent for a call outside the catalog. */
  readonly version?: CatalogProvider;
  readonly allowPrivateNetwork: boolean;
  /** Host and port of a built-in provider, which is always on loopback. */
  readonly builtinHost?: string;
}

export interface ConnectionsOptions {
  /** `host` or `host:port`, from the operator's own setting. */
  readonly allowPrivateHosts: ReadonlySet<string>;
  /** Private hosts that the operator granted to this version of a provider. */
  readonly privateHostsGranted: (version: CatalogProvider) => Iterable<string>;
  /** Certificate authorities instead of those of the process, in PEM. */
  readonly ca?: string;
  /** Monotonic, in milliseconds. */
  readonly nowMs?: () => number;
}

/** Of all providers, in all versions that runs still have. */
const MOST_CONNECTIONS = 1_000;
/** Longer than any realistic handshake; the call's own deadline usually comes first. */
const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 4_000;

/**
 * Connections by provider, never shared between two of them: a connection to one must not carry the calls of another
 * (docs/manifest.md, "Private addresses").
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open: KeptWhileUsed<OpenConnection>;
  readonly #connecting = new ConnectingSockets();
  #isClosed = false;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#open = new KeptWhileUsed({
      most: MOST_CONNECTIONS,
      isBusy: ({ kept, unrepeated }) => hasCalls(kept) || unrepeated.isBusy(),
      drop: endCalls,
      ...(options.nowMs !== undefined && { nowMs: options.nowMs }),
    });
  }

  get size(): number {
    return this.#open.size;
  }

  to(target: ConnectionTarget): Connection {
    const { provider, version, allowPrivateNetwork, builtinHost } = target;
    // A busy kept connection never ends by itself: those of a grant must not outlive it.
    const granted =
      allowPrivateNetwork && version !== undefined ? [...this.#options.privateHostsGranted(version)] : undefined;
    const rest = granted === undefined && builtinHost === undefined ? "" : JSON.stringify([granted, builtinHost]);
    const key = `${provider} ${version?.manifestHash ?? ""} ${allowPrivateNetwork}${rest}`;
    return this.#open.get(key, () => {
      const opened = this.#connect(target);
      // A call that is tried again after the close fails like one that was under way: nobody would close what it opens.
      if (this.#isClosed) endCalls(opened);
      return opened;
    });
  }

  #connect({ version, allowPrivateNetwork, builtinHost }: ConnectionTarget): OpenConnection {
    const { allowPrivateHosts, privateHostsGranted, ca } = this.#options;
    const guard = createAddressGuard({
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      isAskedFor: allowPrivateNetwork,
      isOpened: (hostname, port) =>
        `${hostname}:${port}` === builtinHost ||
        (allowPrivateNetwork &&
          (namesHost(allowPrivateHosts, hostname, port) ||
            (version !== undefined && namesHost(privateHostsGranted(version), hostname, port)))),
    });
    const authority = ca === undefined ? {} : { ca };
    const connectPlain = guard.connectBy((how) => this.#connecting.track(buildConnector({ ...how, ...authority })));
    const tickets = new TlsTickets();
    const connectTls = (offer: Offer) =>
      guard.connectBy((how) => this.#connecting.track(buildTlsConnector({ ...how, ...authority, offer, tickets })));
    return {
      guard,
      kept: new Agent({ connect: connectPlain, keepAliveTimeout: KEEP_ALIVE_MS, pipelining: 1 }),
      unrepeated: new UnrepeatedCalls({
        connectPlain,
        connectEither: connectTls(["h2", "http/1.1"]),
        connectHttp1: connectTls(["http/1.1"]),
        allows: (origin, remoteAddress) => guard.allows(origin, remoteAddress),
      }),
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connecting.endWith(...this.#open.clear().flatMap(({ kept, unrepeated }) => [kept, unrepeated]));
  }
}

function endCalls({ kept, unrepeated }: OpenConnection): void {
  void Promise.all([kept.destroy(), unrepeated.destroy()]);
}
