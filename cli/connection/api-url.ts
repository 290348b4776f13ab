import { isLoopback } from "../../shared/loopback.ts";
import { usageError } from "../core/cli-error.ts";

/**
 * Throws a usage error unless this is the address of a service: http or https, without user name, query and fragment.
 */
export function checkApiUrl(value: string, place: string): void {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw usageError(`${place} must be an http or https address, such as http://127.0.0.1:7717, but is "${value}"`);
  }
  if (url.username !== "" || url.password !== "") {
    throw usageError(`${place} must not contain a user name or password: the key is given separately`);
  }
  if (url.search !== "" || url.hash !== "") {
    throw usageError(`${place} must end with the path, without ? and #, but is "${value}"`);
  }
}

/** Whether both are the same service: scheme, host, port and path. */
export function isSameAddress(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && plainAddress(a) === plainAddress(b);
}

/**
 * Whether the requested address is that of this machine's daemon, which listens at `daemon`: `localhost` and
 * `127.0.0.1` are the same address. Other spellings of loopback are other addresses, at which another program may
 * listen. docs/command-line.md, "Address, key and workspace".
 */
export function isLocalAddressOf(asked: string, daemon: string): boolean {
  if (isSameAddress(asked, daemon)) return true;
  if (!URL.canParse(asked) || !URL.canParse(daemon)) return false;
  const [one, other] = [new URL(asked), new URL(daemon)];
  const isSpelling =
    (one.hostname === "localhost" && isLoopback(other.hostname)) ||
    (one.hostname === "127.0.0.1" && other.hostname === "localhost");
  one.hostname = other.hostname;
  return isSpelling && isSameAddress(one.href, daemon);
}

/** The address in the one form that we store and compare: no slash at its end. */
export function plainAddress(address: string): string {
  return new URL(address).href.replace(/\/+$/, "");
}
