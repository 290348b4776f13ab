import { memberOf } from "../../../shared/member-of.ts";
import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import type { InputSections } from "../../manifest/input-sections.ts";
import type { Auth, Call, RequestCall } from "../../manifest/manifest.ts";
import {
  parseTemplate,
  renderTemplate,
  resolveReference,
  type TemplateReference,
  type TemplateScope,
  UnresolvedReferenceError,
} from "../../manifest/template.ts";
import { isRecord } from "../../../shared/is-record.ts";

/** What a request is checked against: the endpoint in its manifest, and the values of this call. */
export interface ArrivalFacts {
  readonly entry: CatalogEntry;
  readonly call: Call | RequestCall;
  /** Real origin of the base URL: the only one that may see secrets. */
  readonly home: string;
  readonly scope: TemplateScope;
  /** Only for the start call; polls and results have fixed parts only. */
  readonly callerInput?: InputSections;
}

/** A part of a request: its name and its value. */
export interface ExpectedPart {
  readonly name: string;
  readonly value: unknown;
}

/** Fixed fields of a query or a body that the caller does not give, with templates rendered. */
export function fixedParts(fixed: Call["body"], scope: TemplateScope, given: unknown): ExpectedPart[] {
  return Object.entries(fixed ?? {})
    .filter(([name]) => memberOf(given, name) === undefined)
    .map(([name, value]) => ({ name, value: renderedDeep(value, scope) }));
}

export function partsOf(section: unknown): ExpectedPart[] {
  return Object.entries(isRecord(section) ? section : {}).map(([name, value]) => ({ name, value }));
}

/** A JSON body: the caller's members override the fixed ones, object by object. */
export function mergedBody(caller: unknown, fixed: unknown, scope: TemplateScope): Readonly<Record<string, unknown>> {
  return merged(caller, renderedDeep(fixed, scope));
}

function merged(over: unknown, under: unknown): Readonly<Record<string, unknown>> {
  const result = new Map(Object.entries(isRecord(under) ? under : {}));
  for (const [name, value] of Object.entries(isRecord(over) ? over : {})) {
    const below = result.get(name);
    result.set(name, isRecord(below) && isRecord(value) ? merged(value, below) : value);
  }
  return Object.fromEntries(result);
}

function renderedDeep(value: unknown, scope: TemplateScope): unknown {
  if (typeof value === "string") return renderedWhole(value, scope);
  if (Array.isArray(value)) return value.map((item) => renderedDeep(item, scope));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, renderedDeep(member, scope)]));
}

/** A text with only one reference keeps the type of its value. */
function renderedWhole(text: string, scope: TemplateScope): unknown {
  const parts = parseTemplate(text);
  const [only, ...others] = parts.ok ? parts.value : [];
  if (only === undefined || only.kind === "text" || others.length > 0) return rendered(text, scope);
  return resolved(only, scope);
}

/** Undefined when the reference has no value in this call. */
export function resolved(reference: TemplateReference, scope: TemplateScope): unknown {
  try {
    return resolveReference(reference, scope);
  } catch (error) {
    if (error instanceof UnresolvedReferenceError) return undefined;
    throw error;
  }
}

/** The rendered template; undefined when a part of it has no value in this call. */
export function rendered(template: string, scope: TemplateScope): string | undefined {
  const parts = parseTemplate(template);
  if (!parts.ok) return undefined;
  try {
    return renderTemplate(parts.value, scope);
  } catch (error) {
    if (error instanceof UnresolvedReferenceError) return undefined;
    throw error;
  }
}

/** The token that the stand-in's token endpoint returns. */
export const REHEARSED_TOKEN = "rehearsal-access-token";

export type CredentialPlace = "header" | "query" | "cookie" | "body";

export function credentialParts({ entry, scope }: ArrivalFacts, place: CredentialPlace): ExpectedPart[] {
  return entry.http.auth.flatMap((auth) => partsOfAuth(auth, place, scope)).filter(({ value }) => value !== undefined);
}

function partsOfAuth(auth: Auth, place: CredentialPlace, scope: TemplateScope): ExpectedPart[] {
  if (auth.type === "none") return [];
  if (auth.type === "apiKey") return auth.in === place ? [{ name: auth.name, value: rendered(auth.value, scope) }] : [];
  return place === "header" ? [{ name: "authorization", value: authorizationOf(auth, scope) }] : [];
}

function authorizationOf(
  auth: Extract<Auth, { type: "bearer" | "basic" | "clientCredentials" | "oauth2" }>,
  scope: TemplateScope,
): string {
  const text = (template: string) => rendered(template, scope) ?? "";
  if (auth.type === "bearer") return `Bearer ${text(auth.token)}`;
  if (auth.type === "clientCredentials" || auth.type === "oauth2") return `Bearer ${REHEARSED_TOKEN}`;
  return `Basic ${Buffer.from(`${text(auth.username)}:${text(auth.password)}`).toString("base64")}`;
}
