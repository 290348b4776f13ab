import type { RunId } from "../base/ids.ts";
import { type InputSection, type InputSections, isInputSection, readInput } from "./input-sections.ts";
import type { Parsed } from "./parsed.ts";

/** One `${…}` of a manifest text. */
export type TemplateReference =
  | { readonly kind: "secret"; readonly name: string }
  | { readonly kind: "input"; readonly section: InputSection; readonly path: readonly string[] }
  | { readonly kind: "runId" }
  | { readonly kind: "externalId" }
  | { readonly kind: "state"; readonly name: string }
  | { readonly kind: "resourceId" };

export type TemplatePart = { readonly kind: "text"; readonly text: string } | TemplateReference;

/** The values of the references of one call; what a phase does not have yet is absent. */
export interface TemplateScope {
  readonly secrets: Readonly<Record<string, string>>;
  readonly input: InputSections;
  readonly runId: RunId;
  readonly externalId?: string;
  readonly state?: Readonly<Record<string, string>>;
  readonly resourceId?: string;
  /** W3C trace context of the run, where the daemon traces. */
  readonly traceparent?: string;
}

/** A reference without a value in this call. `reference.kind` says who caused it: the caller when `input`. */
export class UnresolvedReferenceError extends Error {
  override readonly name = "UnresolvedReferenceError";
  readonly reference: TemplateReference;

  constructor(reference: TemplateReference) {
    super(`${spellReference(reference)} has no value in this call`);
    this.reference = reference;
  }
}

/** Splits a manifest text into literal text and references. Source: docs/manifest.md, "Templates". */
export function parseTemplate(text: string): Parsed<readonly TemplatePart[]> {
  const parts: TemplatePart[] = [];
  let from = 0;
  for (;;) {
    const open = text.indexOf("${", from);
    if (open < 0) break;
    const close = text.indexOf("}", open);
    if (close < 0) return { ok: false, message: `"\${" without a closing "}" in ${JSON.stringify(text)}` };
    if (open > from) parts.push({ kind: "text", text: text.slice(from, open) });
    const reference = parseReference(text.slice(open + 2, close));
    if (!reference.ok) return reference;
    parts.push(reference.value);
    from = close + 1;
  }
  if (from < text.length) parts.push({ kind: "text", text: text.slice(from) });
  return { ok: true, value: parts };
}

const NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;
const KNOWN =
  "known are ${secret.<name>}, ${input.<pathParams|queryParams|body>.<field>}, ${run.id}, ${run.externalId}, ${state.<name>} and ${resource.id}";

function parseReference(inside: string): Parsed<TemplateReference> {
  if (inside === "run.id") return { ok: true, value: { kind: "runId" } };
  if (inside === "run.externalId") return { ok: true, value: { kind: "externalId" } };
  if (inside === "resource.id") return { ok: true, value: { kind: "resourceId" } };
  const [first = "", ...rest] = inside.split(".");
  const name = rest[0] ?? "";
  if ((first === "secret" || first === "state") && rest.length === 1 && NAME.test(name)) {
    return { ok: true, value: { kind: first, name } };
  }
  if (first === "input") {
    const path = rest.slice(1);
    if (isInputSection(name) && path.length > 0 && path.every((step) => step !== "")) {
      return { ok: true, value: { kind: "input", section: name, path } };
    }
  }
  return { ok: false, message: `unknown reference "\${${inside}}"; ${KNOWN}` };
}

export function spellReference(reference: TemplateReference): string {
  switch (reference.kind) {
    case "secret":
      return `\${secret.${reference.name}}`;
    case "state":
      return `\${state.${reference.name}}`;
    case "input":
      return `\${input.${reference.section}.${reference.path.join(".")}}`;
    case "runId":
      return "${run.id}";
    case "externalId":
      return "${run.externalId}";
    case "resourceId":
      return "${resource.id}";
  }
}

/** The value of one reference; throws UnresolvedReferenceError when there is none. */
export function resolveReference(reference: TemplateReference, scope: TemplateScope): unknown {
  const value = lookUp(reference, scope);
  if (value === undefined || value === null) throw new UnresolvedReferenceError(reference);
  return value;
}

function lookUp(reference: TemplateReference, scope: TemplateScope): unknown {
  switch (reference.kind) {
    case "secret":
      return ownText(scope.secrets, reference.name);
    case "state":
      return ownText(scope.state ?? {}, reference.name);
    case "input":
      return readInput(scope.input, reference.section, reference.path);
    case "runId":
      return scope.runId;
    case "externalId":
      return scope.externalId;
    case "resourceId":
      return scope.resourceId;
  }
}

function ownText(values: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** The text with every reference replaced. Lists and objects become JSON. Throws UnresolvedReferenceError. */
export function renderTemplate(parts: readonly TemplatePart[], scope: TemplateScope): string {
  return parts.map((part) => (part.kind === "text" ? part.text : toText(resolveReference(part, scope)))).join("");
}

export function toText(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The references of a parsed template, for checks at load. */
export function referencesOf(parts: readonly TemplatePart[]): readonly TemplateReference[] {
  return parts.filter((part): part is TemplateReference => part.kind !== "text");
}
