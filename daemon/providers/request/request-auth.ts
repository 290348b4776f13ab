import { oncePer } from "../../base/once-per.ts";
import type { Auth } from "../../manifest/manifest.ts";
import { requireParsed } from "../../manifest/request-error.ts";
import { renderHeader } from "./request-headers.ts";
import {
  parseTemplate,
  referencesOf,
  renderTemplate,
  type TemplatePart,
  type TemplateScope,
} from "../../manifest/template.ts";

/** What the credentials of a call add to it. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly body: Readonly<Record<string, string>>;
}

export interface CredentialFacts {
  readonly scope: TemplateScope;
  /** The token from client credentials or of a connected account, when the endpoint uses one. */
  readonly accessToken?: string;
  /** Names of secrets that may be missing: an auth that needs a missing one is left out. */
  readonly optionalSecrets: ReadonlySet<string>;
}

/** Renders the endpoint's auth kinds; each adds to the others. Source: docs/manifest.md, "Auth". */
export function renderCredentials(auths: readonly Auth[], facts: CredentialFacts): Credentials {
  const headers: Record<string, string> = {};
  const cookies: string[] = [];
  const query: [string, string][] = [];
  const body: Record<string, string> = {};
  const { scope, accessToken } = facts;
  for (const auth of auths) {
    const [value = [], password = []] = compiledAuth(auth);
    if (auth.type === "none" || [value, password].some((parts) => needsMissingSecret(parts, facts))) continue;
    if (auth.type === "bearer") headers["authorization"] = `Bearer ${renderHeader(value, scope)}`;
    else if (auth.type === "basic") headers["authorization"] = basic(value, password, scope);
    else if (auth.type === "clientCredentials" || auth.type === "oauth2") {
      if (accessToken !== undefined) headers["authorization"] = `Bearer ${accessToken}`;
    } else if (auth.in === "header") headers[auth.name.toLowerCase()] = renderHeader(value, scope);
    else if (auth.in === "query") query.push([auth.name, renderTemplate(value, scope)]);
    else if (auth.in === "cookie") cookies.push(`${auth.name}=${renderHeader(value, scope)}`);
    else body[auth.name] = renderTemplate(value, scope);
  }
  if (cookies.length > 0) headers["cookie"] = cookies.join("; ");
  return { headers, query, body };
}

type Template = readonly TemplatePart[];

/** The parsed templates of credentials: one, or a name and a password. */
const compiledAuth = oncePer((auth: Auth): readonly Template[] =>
  templatesOf(auth).map((template) => requireParsed(parseTemplate(template))),
);

/** The value of an `Authorization` header for a name and a password. RFC 7617, UTF-8. */
function basic(username: Template, password: Template, scope: TemplateScope): string {
  const pair = `${renderTemplate(username, scope)}:${renderTemplate(password, scope)}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}

/** The id and secret with which a token is requested; the secret of a public client is empty. */
export function renderClient(
  auth: Extract<Auth, { type: "clientCredentials" | "oauth2" }>,
  scope: TemplateScope,
): { readonly id: string; readonly secret: string } {
  const [id = [], secret = []] = compiledAuth(auth);
  return { id: renderTemplate(id, scope), secret: renderTemplate(secret, scope) };
}

/** True when the template names an optional secret that has no value. */
export function needsMissingSecret(
  template: Template,
  { scope, optionalSecrets }: Pick<CredentialFacts, "scope" | "optionalSecrets">,
): boolean {
  return referencesOf(template).some(
    (part) => part.kind === "secret" && optionalSecrets.has(part.name) && !Object.hasOwn(scope.secrets, part.name),
  );
}

function templatesOf(auth: Auth): readonly string[] {
  switch (auth.type) {
    case "none":
      return [];
    case "bearer":
      return [auth.token];
    case "basic":
      return [auth.username, auth.password];
    case "apiKey":
      return [auth.value];
    case "clientCredentials":
      return [auth.clientId, auth.clientSecret];
    case "oauth2":
      return auth.clientSecret === undefined ? [auth.clientId] : [auth.clientId, auth.clientSecret];
  }
}
