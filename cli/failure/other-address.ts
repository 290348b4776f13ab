import { isLoopback } from "../../shared/loopback.ts";
import { shellLine } from "../../shared/words/shell-line.ts";

/**
 * The command to type when an answer says that the service is at another address. Somebody on the network path can say
 * so, too, and a key in MKT_API_KEY goes to whatever address a command names. So only the same host is suggested, and
 * never http in place of https; for any other address the command is a log-in, which asks for the key again.
 * docs/security.md, T6.
 */
export function tryOtherAddress(asked: URL, address: string): string {
  const other = new URL(address);
  const isSafe = asked.protocol === "http:" || other.protocol === "https:" || isLoopback(other.hostname);
  const command = other.hostname === asked.hostname && isSafe ? "whoami" : "login";
  return shellLine("mkt", command, "--api-url", address);
}
