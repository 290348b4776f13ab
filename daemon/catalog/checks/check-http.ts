import type { DocumentPath } from "../../manifest/document-path.ts";
import type { ProblemList } from "../problems/catalog-problem.ts";
import { checkHeader, checkHeaderName, withoutInput } from "./check-call.ts";
import { checkLiteral } from "./check-literals.ts";
import { checkTemplate, type ReferenceScope } from "./check-references.ts";
import type { EndpointPlaces } from "./endpoint-places.ts";
import { addressesOf } from "../../manifest/login-auth.ts";
import type { Auth } from "../../manifest/manifest.ts";
import type { EndpointDraft } from "../entries/merge-endpoint.ts";

/**
 * Checks where an endpoint's calls go: https, or a private host that the file declares.
 * docs/manifest.md, "Private addresses".
 */
export function checkOrigin(
  draft: EndpointDraft,
  places: EndpointPlaces,
  { problems, bundled }: { readonly problems: ProblemList; readonly bundled: boolean },
): void {
  const { baseUrl, allowPrivateNetwork, allowHosts } = draft.http;
  const place = places.http("baseUrl");
  if (baseUrl === undefined) {
    problems.report(places.own("request"), "origin", "there is no base URL; add http.baseUrl to the provider");
    return;
  }
  if (baseUrl.startsWith("builtin:")) {
    if (!bundled)
      problems.report(place, "origin", "builtin: is for the catalog that comes with mkt; use an https:// URL");
    return;
  }
  checkWebUrl(problems, place, baseUrl, allowPrivateNetwork);
  if (/[?#]/.test(baseUrl))
    problems.report(place, "origin", "baseUrl has no ? or #; fixed parameters go to queryParams");
  allowHosts.forEach((host, index) => {
    if (/^(?:\*\.)?[A-Za-z0-9.-]+(?::\d{1,5})?$|^\[[0-9a-fA-F:.]+\](?::\d{1,5})?$/.test(host)) return;
    problems.report(
      [...places.http("allowHosts"), index],
      "origin",
      `"${host}" is not a host; write host or host:port`,
    );
  });
}

function checkWebUrl(problems: ProblemList, place: DocumentPath, url: string, allowPrivateNetwork: boolean): void {
  const parsed = new URL(url);
  if (parsed.protocol === "http:" && !allowPrivateNetwork) {
    const why = "http shows keys and data to everyone on the way";
    problems.report(place, "origin", `${why}; use https, or allowPrivateNetwork: true for a host of your own`);
  }
  if (parsed.username !== "" || parsed.password !== "") {
    problems.report(place, "literal-secret", "credentials never stand in a URL; use auth: {type: basic} with secrets");
  }
}

/** Checks headers, credentials and rate limit, inherited ones too. */
export function checkHttp(
  problems: ProblemList,
  draft: EndpointDraft,
  places: EndpointPlaces,
  scope: ReferenceScope,
): void {
  for (const [name, value] of Object.entries(draft.http.headers)) {
    checkHeader(problems, places.header(name), { name, value }, scope);
  }
  checkRateLimit(problems, draft, places.http("rateLimit"));
  draft.http.auth.forEach((auth, index) => {
    checkAuth(problems, places.auth(index), auth, withoutInput(scope));
    for (const [member, url] of addressesOf(auth)) {
      checkWebUrl(problems, [...places.auth(index), member], url, draft.http.allowPrivateNetwork);
    }
  });
}

/** A rate limit needs both its numbers, and a limit told by the vendor needs a time to wait. */
function checkRateLimit(problems: ProblemList, { http: { rateLimit } }: EndpointDraft, place: DocumentPath): void {
  if (rateLimit === undefined) return;
  const { requests, perMs, concurrency, headers } = rateLimit;
  if (requests === undefined && concurrency === undefined && headers === undefined) {
    problems.report(place, "pace", "this limits nothing; add requests and perMs, concurrency, or headers");
  }
  if (requests !== undefined && perMs === undefined) {
    problems.report(place, "pace", "requests needs the time that it is for; add perMs, such as 1000");
  }
  if (headers !== undefined && headers.reset === undefined && perMs === undefined) {
    const message = "nothing says how long to wait when nothing remains; add headers.reset, or perMs";
    problems.report([...place, "headers"], "pace", message);
  }
}

function checkAuth(problems: ProblemList, place: DocumentPath, auth: Auth, scope: ReferenceScope): void {
  const texts = {
    none: [],
    bearer: ["token"],
    basic: ["username", "password"],
    apiKey: ["value"],
    clientCredentials: ["clientId", "clientSecret"],
    oauth2: ["clientId", "clientSecret"],
  }[auth.type];
  for (const name of texts) {
    const text: unknown = Object.getOwnPropertyDescriptor(auth, name)?.value;
    if (typeof text !== "string") continue;
    // A client id or a user name may be public, but one that looks like a key is refused even there.
    checkLiteral(problems, [...place, name], text, name !== "username" && name !== "clientId");
    checkTemplate(problems, [...place, name], text, scope);
  }
  if (auth.type === "apiKey" && auth.in === "header") checkHeaderName(problems, [...place, "name"], auth.name);
}

export function checkIdempotencyHeader(problems: ProblemList, place: DocumentPath, name: string): void {
  checkHeaderName(problems, place, name);
  if (/^(?:authorization|cookie|content-type)$/i.test(name)) {
    problems.report(place, "header", `the run's id cannot be sent as ${name}; use the vendor's idempotency header`);
  }
}
