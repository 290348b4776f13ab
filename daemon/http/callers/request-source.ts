import { BlockList, isIP } from "node:net";
import type { IncomingMessage } from "node:http";

/** The address that a request comes from; undefined if its connection is closed. */
export type SourceOf = (request: Pick<IncomingMessage, "socket" | "headers">) => string | undefined;

/**
 * Reads the source of requests: the other end of the connection, or, if that is one of the `proxies`, the address that
 * it forwards for (`X-Forwarded-For`, read from its end as long as the addresses are trusted proxies). The header is
 * not trusted from anybody else, since any client can send it. Proxies are addresses, or networks as `10.0.0.0/8`.
 */
export function createSourceReader(proxies: readonly string[]): SourceOf {
  const trusted = new BlockList();
  for (const proxy of proxies) addNetwork(trusted, proxy);
  const isTrusted = (address: string) => trusted.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  return ({ socket, headers }) => {
    let source = socket.remoteAddress;
    if (proxies.length === 0 || source === undefined) return source;
    const named = [headers["x-forwarded-for"] ?? []].flat().join(",").split(",");
    for (let next = named.pop(); next !== undefined && isTrusted(source); next = named.pop()) {
      const address = next.trim();
      if (isIP(address) === 0) break;
      source = address;
    }
    return source;
  };
}

/** Whether it is an address, or a network in the form `address/bits`. */
export function isNetwork(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32));
}

function addNetwork(list: BlockList, text: string): void {
  const [address = "", bits] = text.split("/");
  const family = isIP(address) === 6 ? "ipv6" : "ipv4";
  if (bits === undefined) list.addAddress(address, family);
  else list.addSubnet(address, Number(bits), family);
}
