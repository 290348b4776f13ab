import { isLoopback } from "../../shared/loopback.ts";
import { shellLine } from "../words/shell-line.ts";

/**
 * The command to type where something says that the service is at another address than the one that was asked. Whoever sits
 * on the way can say so, too, and a key in MKT_API_KEY goes to whatever address a command names: so only the same host is
 * asked again, and never http where https was; elsewhere one logs in, which asks for the key anew. docs/security.md, T6.
 */
export function tryOtherAddress(asked: URL, address: string): string {
  const other = new URL(address);
  const isSafe = asked.protocol === "http:" || other.protocol === "https:" || isLoopback(other.hostname);
  const command = other.hostname === asked.hostname && isSafe ? "whoami" : "login";
  return shellLine("mkt", command, "--api-url", address);
}
