import { BlockList, isIP, isIPv4 } from "node:net";

/** What is not the public internet, by the IANA special-purpose registries. */
const PRIVATE_V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];
const PRIVATE_V6 = [
  "::/96",
  "64:ff9b:1::/48",
  "100::/64",
  "2001::/23",
  "2001:db8::/32",
  "3fff::/20",
  "5f00::/16",
  "fc00::/7",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
];

const PRIVATE_ADDRESSES = toBlockList();

/** True for an address on the public internet; addresses that wrap an IPv4 one are judged by what they wrap. */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, "");
  if (isIPv4(plain)) return !PRIVATE_ADDRESSES.check(plain, "ipv4");
  if (isIP(plain) !== 6) return false;
  const wrapped = wrappedIPv4(plain);
  if (wrapped !== undefined) return isPublicAddress(wrapped);
  return !PRIVATE_ADDRESSES.check(plain, "ipv6");
}

function toBlockList(): BlockList {
  const list = new BlockList();
  for (const network of PRIVATE_V4) list.addSubnet(...subnet(network), "ipv4");
  for (const network of PRIVATE_V6) list.addSubnet(...subnet(network), "ipv6");
  return list;
}

function subnet(network: string): [address: string, prefix: number] {
  const [address = "", prefix = ""] = network.split("/");
  return [address, Number(prefix)];
}

/** The IPv4 address inside a mapped (::ffff:0:0/96), NAT64 (64:ff9b::/96) or 6to4 (2002::/16) address. */
function wrappedIPv4(address: string): string | undefined {
  const groups = expandIPv6(address);
  const [first, second] = groups;
  const startsWithZeros = groups.slice(0, 5).every((group) => group === 0);
  const isMapped = startsWithZeros && groups[5] === 0xffff;
  const isNat64 = first === 0x64 && second === 0xff9b && groups.slice(2, 6).every((group) => group === 0);
  if (isMapped || isNat64) return spellIPv4(groups[6] ?? 0, groups[7] ?? 0);
  return first === 0x2002 ? spellIPv4(groups[1] ?? 0, groups[2] ?? 0) : undefined;
}

function spellIPv4(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** The eight groups of an IPv6 address, however it is spelled. */
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
