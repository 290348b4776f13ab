import type { ServiceError } from "../../shared/client/service-error.ts";
import type { Settings } from "../connection/read-settings.ts";
import { plainAddress } from "../connection/api-url.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import type { Explained } from "./explained.ts";
import { tryOtherAddress } from "./other-address.ts";

/**
 * Where a deployment redirects to, and the address to use instead: redirects are not followed, because the key is only
 * for the given address. Undefined when the answer is no redirect.
 */
export function explainRedirect(
  { status, headers, url }: ServiceError,
  { baseUrl, profile }: Settings,
): Explained | undefined {
  const location = headers["location"];
  if (![301, 302, 303, 307, 308].includes(status) || baseUrl === undefined || url === undefined) return undefined;
  if (location === undefined || !URL.canParse(location, url)) return undefined;
  const target = new URL(location, url);
  const why =
    `${baseUrl.value} sends requests on to ${target.origin}${target.pathname} (${status}). ` +
    `Redirects are not followed, because your key is for the address that you gave.`;
  const address = addressBehind(target, new URL(url), baseUrl.value);
  if (address === undefined) return { why };
  const isOfProfile = baseUrl.from === `the profile ${profile.name}`;
  if (isOfProfile) return { why, next: shellLine("mkt", "login", profile.name, "--api-url", address) };
  return { why, next: tryOtherAddress(new URL(url), address) };
}

/** The new address without what the request added to the old one. */
function addressBehind(target: URL, asked: URL, address: string): string | undefined {
  if (target.protocol !== "http:" && target.protocol !== "https:") return undefined;
  const added = asked.pathname.slice(new URL(plainAddress(address)).pathname.replace(/\/+$/, "").length);
  if (!target.pathname.endsWith(added)) return undefined;
  return `${target.origin}${target.pathname.slice(0, -added.length)}`;
}
