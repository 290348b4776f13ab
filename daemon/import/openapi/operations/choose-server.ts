import { memberOf } from "../../../../shared/member-of.ts";
import { isPrivateHost } from "../../documents/private-host.ts";
import { listOf, type Members, textOf } from "../../conversion/members.ts";

export interface ChosenServer {
  readonly baseUrl: string;
  /** http to a private host: the operator must allow it. */
  readonly isPrivate: boolean;
  /** Literally in the document, and publicly reachable. */
  readonly isCertain: boolean;
  readonly note?: string;
}

const FILLED =
  "the address has parts that differ from customer to customer, and the document's defaults were written: look at baseUrl";

/** A placeholder when a document names no complete address, until a person sets one. Never resolves (RFC 2606). */
export const NO_ADDRESS = "https://set-me.invalid";

/** The first callable server of a list: https, variables with their defaults, relative to the document's address. */
export function chooseServer(servers: readonly unknown[], ref: string): ChosenServer | undefined {
  const found = servers.slice(0, 50).flatMap((server) => {
    const url = textOf(server, "url");
    if (url === undefined) return [];
    const address = toAddress(fillVariables(url, memberOf(server, "variables")), ref);
    if (address === undefined) return [];
    return [url.includes("{") ? { ...address, note: joinNotes(address.note, FILLED) } : address];
  });
  return found.find(({ isCertain }) => isCertain) ?? found[0];
}

/** For 2.0: `host`, `basePath` and `schemes`; without a host, the one that the document came from. */
export function swaggerServers(root: Members, schemesOf: unknown = root): readonly Members[] {
  const host = textOf(root, "host");
  const basePath = textOf(root, "basePath") ?? "";
  const path = basePath === "" || basePath.startsWith("/") ? basePath : `/${basePath}`;
  const schemes = [...listOf(schemesOf, "schemes"), ...listOf(root, "schemes")].filter(
    (one) => typeof one === "string",
  );
  if (host === undefined || host.trim() === "") return [{ url: path === "" ? "/" : path }];
  const known = schemes.length === 0 ? ["https"] : schemes;
  const ordered = known.includes("https") ? ["https"] : known;
  return ordered.map((scheme) => ({ url: `${String(scheme)}://${host.trim()}${path}` }));
}

/** The address that a person gave. Undefined when it is invalid. */
export function givenServer(address: string): ChosenServer | undefined {
  return toAddress(address, "");
}

function fillVariables(url: string, variables: unknown): string {
  return url.slice(0, 2_000).replaceAll(/\{([^{}]{1,100})\}/g, (all, name: string) => {
    const variable = memberOf(variables, name);
    const value = memberOf(variable, "default") ?? listOf(variable, "enum")[0];
    return typeof value === "string" || typeof value === "number" ? String(value) : all;
  });
}

function toAddress(text: string, ref: string): ChosenServer | undefined {
  const written = text.trim().replace(/^\/\//, "https://");
  if (/[{}<>\s]/.test(written)) return undefined;
  const url = parse(/^[a-z0-9.-]+\.[a-z]{2,}(?:[:/]|$)/i.test(written) ? `https://${written}` : written, ref);
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:") || url.hostname === "")
    return undefined;
  const hadQuery = url.search !== "" || url.hash !== "";
  url.search = "";
  url.hash = "";
  url.username = "";
  url.password = "";
  const isPrivate = isPrivateHost(url.hostname);
  const wasPlain = url.protocol === "http:" && !isPrivate;
  if (wasPlain) {
    // Port 80 is only for http; another port is kept and may accept either.
    url.protocol = "https:";
  }
  const notes = [
    ...(wasPlain
      ? ["the document's address is http, which shows keys on the way; https is written in its place: try it"]
      : []),
    ...(isPrivate ? [`${url.host} is a private address: the grant lets the daemon call it`] : []),
    ...(hadQuery ? ["the query of the document's address was left out"] : []),
  ];
  const baseUrl = url.href.replace(/\/+$/, "");
  const isCertain = !isPrivate && !wasPlain;
  return { baseUrl, isPrivate, isCertain, ...(notes.length > 0 && { note: notes.join("; ") }) };
}

function joinNotes(note: string | undefined, other: string): string {
  return note === undefined ? other : `${note}; ${other}`;
}

function parse(text: string, ref: string): URL | undefined {
  try {
    return /^[a-z][a-z0-9+.-]*:/i.test(text)
      ? new URL(text)
      : new URL(text, /^https?:\/\//i.test(ref) ? ref : undefined);
  } catch {
    return undefined;
  }
}
