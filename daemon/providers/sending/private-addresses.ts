import { BlockList, isIP, isIPv4 } from "node:net";

/**
 * Addresses outside the public internet: the IANA IPv4 Special-Purpose Address Registry in full, and multicast. The few
 * blocks in it that are globally reachable (anycast of PCP and TURN in 192.0.0.0/24) do not belong to any vendor.
 */
const PRIVATE_V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];

/** Everything that IANA has ever allocated as global unicast; every other block is private, translated or unused. */
const GLOBAL_UNICAST_V6 = "2000::/3";

/**
 * The special blocks in it, by the IANA IPv6 Special-Purpose Address Registry: 2001::/23 with Teredo, ORCHID and the
 * benchmarking block, documentation, 6to4 (no longer served, RFC 7526, and it contains an IPv4 address), AS112.
 */
const SPECIAL_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"];

const PRIVATE_IPV4 = toBlockList(PRIVATE_V4, "ipv4");
const UNICAST_IPV6 = toBlockList([GLOBAL_UNICAST_V6], "ipv6");
const SPECIAL_IPV6 = toBlockList(SPECIAL_V6, "ipv6");

/**
 * True for an address on the public internet. For IPv6 that is global unicast without the special blocks. In addition,
 * addresses that contain a public IPv4 address and are reached through it: mapped (::ffff:0:0/96), and NAT64's
 * well-known prefix (64:ff9b::/96, RFC 6052), through which an IPv6-only network reaches all IPv4 vendors.
 */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, "");
  if (isIPv4(plain)) return !PRIVATE_IPV4.check(plain, "ipv4");
  if (isIP(plain) !== 6) return false;
  const wrapped = wrappedIPv4(plain);
  if (wrapped !== undefined) return isPublicAddress(wrapped);
  return UNICAST_IPV6.check(plain, "ipv6") && !SPECIAL_IPV6.check(plain, "ipv6");
}

function toBlockList(networks: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", prefix = ""] = network.split("/");
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** The IPv4 address inside a mapped or NAT64 address. */
function wrappedIPv4(address: string): string | undefined {
  const groups = expandIPv6(address);
  const [first, second] = groups;
  const startsWithZeros = groups.slice(0, 5).every((group) => group === 0);
  const isMapped = startsWithZeros && groups[5] === 0xffff;
  const isNat64 = first === 0x64 && second === 0xff9b && groups.slice(2, 6).every((group) => group === 0);
  return isMapped || isNat64 ? spellIPv4(groups[6] ?? 0, groups[7] ?? 0) : undefined;
}

function spellIPv4(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** The eight groups of an IPv6 address, in any spelling. */
function expandIPv6(address: string): readonly number[] {
  const hex = address.replace(
    /(\d+)\.(\d+)\.(\d+)\.(\d+)$/,
    (_, a: string, b: string, c: string, d: string) => `${toGroup(a, b)}:${toGroup(c, d)}`,
  );
  const [head = "", tail = ""] = hex.split("::");
  const before = parseGroups(head);
  const after = parseGroups(tail);
  return [...before, ...Array<number>(Math.max(0, 8 - before.length - after.length)).fill(0), ...after];
}

function toGroup(high: string, low: string): string {
  return ((Number(high) << 8) | Number(low)).toString(16);
}

function parseGroups(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}
