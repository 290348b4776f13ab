import { ApiError } from "../../../shared/errors.ts";
import { hasTooManyHeaders, MAX_HEADERS } from "../../../shared/header-values.ts";

/** The head of a request, not validated yet. */
export interface RequestHead {
  readonly method: string;
  readonly url: string;
  /** Alternating names and values as received; parsed headers would hide duplicates. */
  readonly rawHeaders: readonly string[];
}

/** The host names that this service answers to; lower case. */
export interface HostList {
  /** Exact `host:port`, or `host` for a request that names no port. */
  readonly hosts: ReadonlySet<string>;
  /** Host names, configured by the operator, that are allowed with any port or none. */
  readonly names: ReadonlySet<string>;
  /** Exact origins of web pages that may call. */
  readonly origins: ReadonlySet<string>;
}

/**
 * Returns what is wrong with a request's head, or undefined. Runs on every route before routing, CORS and credentials,
 * since a web page must not reach a local daemon by DNS rebinding or with a form. docs/security.md, T1, T2 and T9.
 */
export function findFaultInHead(head: RequestHead, allowed: HostList): ApiError | undefined {
  const tooMany = findTooMany(head);
  if (tooMany !== undefined) return tooMany;
  const fields = new HeadFields(head.rawHeaders);
  return (
    findRepeatedHost(fields) ??
    findForeignHost(head, fields, allowed) ??
    (isWindowThatMayCome(head, fields) ? undefined : findForeignPage(fields, allowed)) ??
    findAmbiguity(fields)
  );
}

/**
 * True when the browser itself, in a window of its own, goes from another site to where it may come from one, since no page
 * can read what it gets: to the address to which a provider sends it after a login, where the state says whether it is wanted,
 * and to the console, which is the same for everybody. docs/security.md, T34 and T36.
 */
function isWindowThatMayCome(head: RequestHead, fields: HeadFields): boolean {
  if (head.method !== "GET" || !MAY_COME.test(originForm(head.url))) return false;
  const isOnly = (name: string, value: string) => fields.valuesOf(name).join().toLowerCase() === value;
  const hasOrigin = fields.valuesOf("origin").length > 0;
  return !hasOrigin && isOnly("sec-fetch-mode", "navigate") && isOnly("sec-fetch-dest", "document");
}

const MAY_COME = /^\/(?:oauth\/callback\/[a-z0-9-]+|console\/?)(?:\?|$)/;

/** The fields of a head, with each name put into lower case once: every request is searched for a dozen of them. */
class HeadFields {
  readonly #rawHeaders: readonly string[];
  readonly #names: readonly string[];

  constructor(rawHeaders: readonly string[]) {
    const names: string[] = [];
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) names.push((rawHeaders[index] ?? "").toLowerCase());
    this.#rawHeaders = rawHeaders;
    this.#names = names;
  }

  /** `name` in lower case, here and below. */
  valuesOf(name: string): readonly string[] {
    const values: string[] = [];
    for (let index = this.#names.indexOf(name); index >= 0; index = this.#names.indexOf(name, index + 1)) {
      values.push((this.#rawHeaders[2 * index + 1] ?? "").trim());
    }
    return values;
  }

  isRepeated(name: string): boolean {
    const first = this.#names.indexOf(name);
    return first >= 0 && this.#names.includes(name, first + 1);
  }
}

/**
 * True for a `GET /health` whose only fault is the host name: probes of orchestrators and load balancers ask by an
 * address or without a name. They may learn that the service is up and nothing else, so a page that uses DNS rebinding
 * learns no more than it does from getting a connection. docs/security.md, T1.
 */
export function isProbeByAnyName(head: RequestHead, allowed: HostList): boolean {
  if (head.method !== "GET" && head.method !== "HEAD") return false;
  if (!/^\/health(?:\?|$)/.test(originForm(head.url))) return false;
  if (findTooMany(head) !== undefined) return false;
  const fields = new HeadFields(head.rawHeaders);
  const otherFault = findRepeatedHost(fields) ?? findForeignPage(fields, allowed) ?? findAmbiguity(fields);
  return otherFault === undefined && findForeignHost(head, fields, allowed) !== undefined;
}

/** The path and query of a request target that is an absolute URL, the form that clients send to proxies. */
export function originForm(url: string): string {
  const target = absoluteTarget(url);
  return target === undefined ? url : target.rest;
}

const closing = { headers: { connection: "close" } };

/**
 * Headers whose second value would be ignored, or joined to the first, by this service or by a proxy in front of it.
 */
const SINGLE_HEADERS = [
  "transfer-encoding",
  "authorization",
  "content-type",
  "idempotency-key",
  "origin",
  "x-workspace-id",
];

/** Checked first, because each check below scans the whole head. */
function findTooMany({ rawHeaders }: RequestHead): ApiError | undefined {
  if (!hasTooManyHeaders(rawHeaders)) return undefined;
  const count = rawHeaders.length / 2;
  return new ApiError(
    "headTooLarge",
    `The request has ${count} headers; this service takes at most ${MAX_HEADERS}`,
    closing,
  );
}

function findRepeatedHost(fields: HeadFields): ApiError | undefined {
  if (!fields.isRepeated("host")) return undefined;
  return new ApiError("invalidInput", "Host: the header came more than once; send it once", closing);
}

function findForeignHost(head: RequestHead, fields: HeadFields, allowed: HostList): ApiError | undefined {
  const [host = ""] = fields.valuesOf("host");
  if (host === "") return new ApiError("invalidInput", "Host: the header is missing", closing);
  const target = absoluteTarget(head.url);
  if (target === undefined && isAllowedHost(host, allowed)) return undefined;
  const foreign = [...(target === undefined ? [] : [target.host]), host].find((name) => !isAllowedHost(name, allowed));
  if (foreign === undefined) return undefined;
  return new ApiError(
    "forbidden",
    `Host ${shown(foreign)} is not a name of this service; its operator can add it with --allowed-host`,
    closing,
  );
}

function findForeignPage(fields: HeadFields, allowed: HostList): ApiError | undefined {
  const foreign = fields.valuesOf("origin").find((origin) => !allowed.origins.has(origin.toLowerCase()));
  if (foreign !== undefined) {
    return new ApiError("forbidden", `Origin ${shown(foreign)} may not call this service`, closing);
  }
  if (fields.valuesOf("sec-fetch-site").some((site) => site.toLowerCase() === "cross-site")) {
    return new ApiError("forbidden", "Web pages of another site may not call this service", closing);
  }
  return undefined;
}

/** Finds heads that a proxy and this service could read as different requests. */
function findAmbiguity(fields: HeadFields): ApiError | undefined {
  if (fields.valuesOf("transfer-encoding").some((coding) => coding.toLowerCase() !== "chunked")) {
    return new ApiError("invalidInput", "Transfer-Encoding: only chunked is understood here", closing);
  }
  const repeated = SINGLE_HEADERS.find((name) => fields.isRepeated(name));
  if (repeated === undefined) return undefined;
  return new ApiError("invalidInput", `${repeated}: the header came more than once; send it once`, closing);
}

function isAllowedHost(host: string, allowed: HostList): boolean {
  if (allowed.hosts.has(host)) return true;
  const name = host.toLowerCase();
  return allowed.hosts.has(name) || allowed.names.has(name.replace(/:\d{1,5}$/, ""));
}

function absoluteTarget(url: string): { host: string; rest: string } | undefined {
  if (url.startsWith("/")) return undefined;
  const match = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)(.*)$/is.exec(url);
  if (match === null) {
    return undefined;
  }
  const [, host = "", rest = ""] = match;
  return { host, rest: rest.startsWith("/") ? rest : `/${rest}` };
}

function shown(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
