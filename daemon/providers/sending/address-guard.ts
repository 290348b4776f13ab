import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from "node:dns";
import { isIP, isIPv6, type LookupFunction } from "node:net";
import { buildConnector } from "undici";
import { isPublicAddress } from "./private-addresses.ts";

/**
 * Keeps provider calls on public addresses. Checked three times, since each check alone was bypassed: the literal in
 * the address (which a connector never looks up), every address that a name resolves to, and the address of the
 * resulting socket. Source: docs/security.md, T5; docs/manifest.md, "Private addresses".
 */
export interface AddressGuard {
  /** Throws AddressRefusedError when the address must not be called; does not resolve names. */
  check(url: URL): void;
  /** Connects as undici does. */
  readonly connector: buildConnector.connector;
  /** Connects in another way, with the same checks. */
  connectBy(build: ConnectorBuilder): buildConnector.connector;
  /** Whether a connection that was made to this address may still be used. */
  allows(url: URL, remoteAddress: string | undefined): boolean;
}

/** Makes a connector that resolves names by `lookup`, if there is one. `timeout`: milliseconds. */
export type ConnectorBuilder = (options: {
  readonly timeout: number;
  readonly lookup?: LookupFunction;
}) => buildConnector.connector;

/** An address that providers may not make us call. The message says what the operator can do. */
export class AddressRefusedError extends Error {
  override readonly name = "AddressRefusedError";
}

export interface AddressGuardOptions {
  /** True for a host and port that the operator opened for this provider; such a host may also be plain http. */
  readonly isOpened: (hostname: string, port: string) => boolean;
  /** The provider's file already requests private addresses: only the operator's grant is missing. */
  readonly isAskedFor?: boolean;
  readonly connectTimeoutMs: number;
  readonly lookup?: typeof dnsLookup;
}

export function createAddressGuard({
  isOpened,
  isAskedFor = false,
  connectTimeoutMs,
  lookup = dnsLookup,
}: AddressGuardOptions): AddressGuard {
  const refusal: Refusal = (hostname) => refusePrivate(hostname, { isAskedFor });
  const guarded: GuardFacts = { isOpened, refusal };
  const connectBy = (build: ConnectorBuilder) =>
    guardConnectors(guarded, {
      opened: build({ timeout: connectTimeoutMs }),
      publicOnly: build({ timeout: connectTimeoutMs, lookup: publicLookup(lookup, refusal) }),
    });
  return {
    connectBy,
    connector: connectBy(buildConnector),
    check(url) {
      if (isOpened(url.hostname, portOf(url.protocol, url.port))) return;
      if (url.protocol !== "https:") {
        throw new AddressRefusedError(
          `${url.host} would be called without TLS; only https is allowed for public hosts`,
        );
      }
      refuseLiteral(url.hostname, refusal);
    },
    allows(url, remoteAddress) {
      if (isOpened(url.hostname, portOf(url.protocol, url.port))) return true;
      return remoteAddress !== undefined && isPublicAddress(remoteAddress);
    },
  };
}

interface GuardFacts extends Pick<AddressGuardOptions, "isOpened"> {
  readonly refusal: Refusal;
}

function guardConnectors(
  { isOpened, refusal }: GuardFacts,
  { opened, publicOnly }: Readonly<Record<"opened" | "publicOnly", buildConnector.connector>>,
): buildConnector.connector {
  return (options, callback) => {
    if (isOpened(options.hostname, portOf(options.protocol, options.port))) {
      opened(options, callback);
      return;
    }
    try {
      refuseLiteral(options.hostname, refusal);
    } catch (error) {
      callback(error as Error, null);
      return;
    }
    publicOnly(options, (...[error, socket]) => {
      if (error !== null) {
        callback(error, null);
      } else if (socket.remoteAddress !== undefined && isPublicAddress(socket.remoteAddress)) {
        callback(null, socket);
      } else {
        socket.destroy();
        callback(refusal(options.hostname), null);
      }
    });
  };
}

function portOf(protocol: string, port: string): string {
  return port === "" ? (protocol === "https:" ? "443" : "80") : port;
}

/**
 * A host as operators write it, normalised: lower case, without brackets or the root's dot, IPv6 in its shortest form.
 */
function plainHost(hostname: string): string {
  const plain = hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
  // One address has many spellings; a URL normalises them.
  const url = isIPv6(plain) ? `http://[${plain}]` : "";
  return URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : plain;
}

/** True when `host`, `host:port` or `[v6]:port` in the list names the address. */
export function namesHost(list: Iterable<string>, hostname: string, port: string): boolean {
  const host = plainHost(hostname);
  for (const entry of list) {
    if (plainHost(entry) === host) return true;
    const [, name = "", itsPort] = /^(\[[^\]]+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
    if (itsPort === port && plainHost(name) === host) return true;
  }
  return false;
}

function refuseLiteral(hostname: string, refusal: Refusal): void {
  const host = plainHost(hostname);
  const isLocalName = host === "localhost" || host.endsWith(".localhost");
  if (isLocalName || (isIP(host) !== 0 && !isPublicAddress(host))) throw refusal(hostname);
}

type Refusal = (hostname: string) => AddressRefusedError;

function refusePrivate(hostname: string, { isAskedFor }: { readonly isAskedFor: boolean }): AddressRefusedError {
  const ask = isAskedFor ? "" : "set allowPrivateNetwork in the provider's file and ";
  return new AddressRefusedError(
    `${hostname} is a private address. If it is yours, ${ask}name the host with --allow-private-host`,
  );
}

function publicLookup(lookup: typeof dnsLookup, refusal: Refusal): LookupFunction {
  return (hostname, options, callback) => {
    const all: LookupOptions & { all: true } = { ...options, all: true };
    lookup(hostname, all, (error, addresses: LookupAddress[]) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) {
        callback(error ?? new Error(`${hostname} has no address`), "", 0);
      } else if (!addresses.every(({ address }) => isPublicAddress(address))) {
        // One private address among public ones is a sign of DNS rebinding.
        callback(refusal(hostname), "", 0);
      } else if (options.all === true) {
        callback(null, addresses);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
}
