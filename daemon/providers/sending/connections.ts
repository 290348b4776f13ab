import { Agent, type Dispatcher } from "undici";
import type { CatalogProvider } from "../../catalog/entries/catalog-entry.ts";
import { type AddressGuard, createAddressGuard, namesHost } from "./address-guard.ts";

/** The connections to one provider. */
export interface Connection {
  readonly guard: AddressGuard;
  /** Keeps connections open between calls. */
  readonly kept: Dispatcher;
  /**
   * A new connection for every call, for calls that must not be repeated: the provider may close a kept connection just
   * when it is used, and then it is unknown whether the call was executed.
   */
  readonly fresh: Dispatcher;
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
}

/** Longer than any realistic handshake; the call's own deadline usually comes first. */
const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 4_000;

/**
 * Connections by provider, never shared between two of them: a connection to one must not carry the calls of another
 * (docs/manifest.md, "Private addresses").
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Map<string, Connection>();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  to(target: ConnectionTarget): Connection {
    const { provider, version, allowPrivateNetwork, builtinHost } = target;
    const key = JSON.stringify([provider, version?.manifestHash, allowPrivateNetwork, builtinHost]);
    const open = this.#open.get(key) ?? this.#connect(target);
    this.#open.set(key, open);
    return open;
  }

  #connect({ version, allowPrivateNetwork, builtinHost }: ConnectionTarget): Connection {
    const { allowPrivateHosts, privateHostsGranted } = this.#options;
    const guard = createAddressGuard({
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      isAskedFor: allowPrivateNetwork,
      isOpened: (hostname, port) =>
        `${hostname}:${port}` === builtinHost ||
        (allowPrivateNetwork &&
          (namesHost(allowPrivateHosts, hostname, port) ||
            (version !== undefined && namesHost(privateHostsGranted(version), hostname, port)))),
    });
    const shared = { connect: guard.connector, keepAliveTimeout: KEEP_ALIVE_MS };
    return { guard, kept: new Agent({ ...shared, pipelining: 1 }), fresh: new Agent({ ...shared, pipelining: 0 }) };
  }

  async close(): Promise<void> {
    const all = [...this.#open.values()].flatMap(({ kept, fresh }) => [kept, fresh]);
    this.#open.clear();
    await Promise.all(all.map((dispatcher) => dispatcher.destroy()));
  }
}
