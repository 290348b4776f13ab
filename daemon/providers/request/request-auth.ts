import type { Auth } from "../../manifest/manifest.ts";
import { requireParsed } from "../../manifest/request-error.ts";
import { renderHeader } from "./request-headers.ts";
import { parseTemplate, referencesOf, renderTemplate, type TemplateScope } from "../../manifest/template.ts";

/** What the credentials of a call add to it. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly body: Readonly<Record<string, string>>;
}

export interface CredentialFacts {
  readonly scope: TemplateScope;
  /** The token got by client credentials, when the endpoint uses them. */
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
  for (const auth of auths) {
    if (auth.type === "none" || isLeftOut(auth, facts)) continue;
    if (auth.type === "bearer") headers["authorization"] = `Bearer ${headerText(auth.token, facts.scope)}`;
    else if (auth.type === "basic") headers["authorization"] = basic(auth.username, auth.password, facts.scope);
    else if (auth.type === "clientCredentials") {
      if (facts.accessToken !== undefined) headers["authorization"] = `Bearer ${facts.accessToken}`;
    } else if (auth.in === "header") headers[auth.name.toLowerCase()] = headerText(auth.value, facts.scope);
    else if (auth.in === "query") query.push([auth.name, text(auth.value, facts.scope)]);
    else if (auth.in === "cookie") cookies.push(`${auth.name}=${headerText(auth.value, facts.scope)}`);
    else body[auth.name] = text(auth.value, facts.scope);
  }
  if (cookies.length > 0) headers["cookie"] = cookies.join("; ");
  return { headers, query, body };
}

/** The value of an `Authorization` header for a name and a password. RFC 7617, UTF-8. */
function basic(username: string, password: string, scope: TemplateScope): string {
  return `Basic ${Buffer.from(`${text(username, scope)}:${text(password, scope)}`).toString("base64")}`;
}

export function text(template: string, scope: TemplateScope): string {
  return renderTemplate(requireParsed(parseTemplate(template)), scope);
}

function headerText(template: string, scope: TemplateScope): string {
  return renderHeader(requireParsed(parseTemplate(template)), scope);
}

function isLeftOut(auth: Auth, facts: CredentialFacts): boolean {
  return templatesOf(auth).some((template) => needsMissingSecret(template, facts));
}

/** True when the template names an optional secret that has no value. */
export function needsMissingSecret(
  template: string,
  facts: Pick<CredentialFacts, "scope" | "optionalSecrets">,
): boolean {
  const parsed = parseTemplate(template);
  if (!parsed.ok) return false;
  return referencesOf(parsed.value).some(
    (part) =>
      part.kind === "secret" && facts.optionalSecrets.has(part.name) && !Object.hasOwn(facts.scope.secrets, part.name),
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
  }
}
