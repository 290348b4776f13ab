import { isIP } from "node:net";
import { isPublicAddress } from "../../providers/sending/private-addresses.ts";

/** True for hosts that cannot be on the public internet, judged by name alone without a look-up. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
  if (isIP(host) !== 0) return !isPublicAddress(host);
  return !host.includes(".") || /\.(?:localhost|local|internal|lan|home|test)$/.test(host);
}
