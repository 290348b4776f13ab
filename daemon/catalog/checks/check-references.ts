import type { DocumentPath } from "../../manifest/document-path.ts";
import type { ProblemList } from "../problems/catalog-problem.ts";
import { type Extractor, parseExtractor } from "../../manifest/extract.ts";
import { INPUT_SECTIONS, type InputSection } from "../../manifest/input-sections.ts";
import {
  parseTemplate,
  referencesOf,
  spellReference,
  type TemplatePart,
  type TemplateReference,
} from "../../manifest/template.ts";
import type { EndpointInputSchemas } from "../entries/catalog-entry.ts";
import { declaredProperties } from "../../manifest/json-schema-walk.ts";
import { didYouMean } from "../../../shared/near-misses.ts";

/** What a template may refer to at its place in the file. */
export interface ReferenceScope {
  readonly secrets: ReadonlySet<string>;
  /** The reason when no caller's input may be used here. */
  readonly input: DeclaredInput | { readonly refusedBecause: string };
  /** Names kept from earlier answers; undefined before there is a job. */
  readonly state?: ReadonlySet<string>;
  readonly resource?: boolean;
}

/** Declared fields by section, or "any" where a section takes any field. */
export type DeclaredInput = { readonly [section in InputSection]: ReadonlySet<string> | "any" };

export function declaredInput(input: EndpointInputSchemas): DeclaredInput {
  const declared = INPUT_SECTIONS.map((section) => {
    const schema = input[section];
    if (schema === undefined) return [section, new Set<string>()] as const;
    const isOpen = (schema["additionalProperties"] ?? schema["unevaluatedProperties"]) !== false;
    return [section, isOpen ? ("any" as const) : new Set(declaredProperties(schema).keys())] as const;
  });
  return Object.fromEntries(declared) as DeclaredInput;
}

/** Checks one `${…}` text; returns its parts when it parses. */
export function checkTemplate(
  problems: ProblemList,
  path: DocumentPath,
  text: string,
  scope: ReferenceScope,
): readonly TemplatePart[] {
  const parsed = parseTemplate(text);
  if (!parsed.ok) {
    problems.report(path, "template", parsed.message);
    return [];
  }
  for (const reference of referencesOf(parsed.value)) {
    const complaint = complainAbout(reference, scope);
    if (complaint !== undefined) problems.report(path, "template", complaint);
  }
  return parsed.value;
}

/** Checks every text inside a fixed body or fixed query parameters. */
export function checkTemplatesIn(
  problems: ProblemList,
  path: DocumentPath,
  value: unknown,
  scope: ReferenceScope,
): readonly TemplatePart[] {
  if (typeof value === "string") return checkTemplate(problems, path, value, scope);
  if (typeof value !== "object" || value === null) return [];
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item, index) => [index, item])
    : Object.entries(value);
  return entries.flatMap(([key, member]) => checkTemplatesIn(problems, [...path, key], member, scope));
}

function complainAbout(reference: TemplateReference, scope: ReferenceScope): string | undefined {
  const spelled = spellReference(reference);
  switch (reference.kind) {
    case "secret":
      if (scope.secrets.has(reference.name)) return undefined;
      return `${spelled} is not declared; add it under secrets${didYouMean(reference.name, scope.secrets)}`;
    case "input":
      if ("refusedBecause" in scope.input) return `${spelled} cannot be used here: ${scope.input.refusedBecause}`;
      return complainAboutField(scope.input, reference.section, reference.path, spelled);
    case "runId":
      return undefined;
    case "externalId":
      return scope.state === undefined
        ? `${spelled} is only known once there is a job: in poll, result and stop`
        : undefined;
    case "state":
      if (scope.state === undefined) return `${spelled} is only known once there is a job: in poll, result and stop`;
      if (scope.state.has(reference.name)) return undefined;
      return `${spelled} is not kept; add it to start.keep or poll.keep${didYouMean(reference.name, scope.state)}`;
    case "resourceId":
      return scope.resource === true ? undefined : `${spelled} can be used only inside resources`;
  }
}

function complainAboutField(
  input: DeclaredInput,
  section: InputSection,
  path: readonly string[],
  spelled: string,
): string | undefined {
  const declared = input[section];
  const [field = ""] = path;
  if (declared === "any" || declared.has(path.join(".")) || declared.has(field)) return undefined;
  return `${spelled} is not declared; add ${field} to input.${section}.properties${didYouMean(field, declared)}`;
}

export interface ExtractorScope {
  readonly input: DeclaredInput;
  /** Names kept from answers of a job; undefined for endpoints that answer at once. */
  readonly state?: ReadonlySet<string>;
  /** The kinds that are allowed here, and why the others are not. */
  readonly only?: { readonly kinds: readonly Extractor["kind"][]; readonly because: string };
}

export function checkExtractor(
  problems: ProblemList,
  path: DocumentPath,
  source: string | number | undefined,
  scope: ExtractorScope,
): void {
  if (source === undefined) return;
  const parsed = parseExtractor(source);
  if (!parsed.ok) {
    problems.report(path, "extractor", parsed.message);
    return;
  }
  const complaint = complainAboutExtractor(parsed.value, source, scope);
  if (complaint !== undefined) problems.report(path, "extractor", complaint);
}

function complainAboutExtractor(
  extractor: Extractor,
  source: string | number,
  scope: ExtractorScope,
): string | undefined {
  if (scope.only !== undefined && !scope.only.kinds.includes(extractor.kind)) {
    return `${source} cannot be used here: ${scope.only.because}`;
  }
  switch (extractor.kind) {
    case "input":
      return complainAboutField(scope.input, extractor.section, extractor.path, String(source));
    case "start":
      return scope.state === undefined ? `${source} needs a job; without async, read $… instead` : undefined;
    case "state":
      if (scope.state === undefined) return `${source} needs a job; this endpoint has no async`;
      if (scope.state.has(extractor.name)) return undefined;
      return `${source} is not kept; add ${extractor.name} to start.keep or poll.keep${didYouMean(extractor.name, scope.state)}`;
    default:
      return undefined;
  }
}
