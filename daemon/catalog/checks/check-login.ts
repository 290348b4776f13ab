import type { DocumentPath } from "../../manifest/document-path.ts";
import { findLogin, type LoginAuth } from "../../manifest/login-auth.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import type { EndpointDraft } from "../entries/merge-endpoint.ts";
import type { ProblemList } from "../problems/catalog-problem.ts";
import type { EndpointPlaces } from "./endpoint-places.ts";

/** What the daemon itself sets in the address of a login. */
const SET_BY_US: ReadonlySet<string> = new Set([
  "client_id",
  "code_challenge",
  "code_challenge_method",
  "redirect_uri",
  "request",
  "request_uri",
  "response_mode",
  "response_type",
  "scope",
  "state",
]);

/** Checks the login of an endpoint, inherited or its own. docs/manifest.md, "Logins". */
export function checkLogin(problems: ProblemList, draft: EndpointDraft, places: EndpointPlaces): void {
  draft.http.auth.forEach((auth, index) => {
    if (auth.type !== "oauth2") return;
    const place = places.auth(index);
    for (const name of Object.keys(auth.parameters ?? {})) {
      if (!SET_BY_US.has(name)) continue;
      problems.report([...place, "parameters", name], "login", `${name} is set by the daemon; take it out`);
    }
    if (draft.request.tool !== undefined) {
      const message = "tools of MCP servers cannot be called with a login yet; use a token as a secret";
      problems.report([...place, "type"], "login", message);
    }
    const others = draft.http.auth.filter((other) => other !== auth && setsAuthorization(other.type));
    if (others.length > 0) {
      const message = `the login and ${others.map(({ type }) => type).join(", ")} would both set the header Authorization; keep one`;
      problems.report([...place, "type"], "login", message);
    }
  });
}

function setsAuthorization(type: string): boolean {
  return type === "bearer" || type === "basic" || type === "clientCredentials" || type === "oauth2";
}

/** A workspace has one connection to a provider, so a file has one login; only the scopes may differ. */
export function checkOneLogin(problems: ProblemList, manifest: Manifest, drafts: readonly EndpointDraft[]): void {
  const provider = manifest.http?.auth;
  const first = findLogin(Array.isArray(provider) ? provider : provider === undefined ? [] : [provider]);
  let one = first === undefined ? undefined : withoutScope(first);
  for (const { path, http } of drafts) {
    const login = findLogin(http.auth);
    if (login === undefined) continue;
    one ??= withoutScope(login);
    if (withoutScope(login) === one) continue;
    const place: DocumentPath = ["endpoints", path, "http", "auth"];
    problems.report(place, "login", "a provider has one login: only scope may differ between its endpoints");
  }
}

function withoutScope({ scope: _scope, ...login }: LoginAuth): string {
  const { parameters = {} } = login;
  const members = Object.entries({ ...login, parameters: Object.entries(parameters).sort() });
  return JSON.stringify(members.sort(([name], [other]) => (name < other ? -1 : 1)));
}
