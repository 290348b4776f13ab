import type { RunInput } from "../../../shared/contract/runs.ts";
import { ApiError } from "../../../shared/errors.ts";
import { INPUT_SECTIONS, type InputSection } from "../../manifest/input-sections.ts";
import type { CatalogEntry } from "../entries/catalog-entry.ts";
import { takesBody } from "../../manifest/takes-body.ts";
import { declaredProperties } from "../../manifest/json-schema-walk.ts";
import { didYouMean } from "../../../shared/near-misses.ts";
import { isRecord } from "../../../shared/is-record.ts";

/** What the form of an input depends on. */
export interface InputTarget extends Pick<CatalogEntry, "input"> {
  readonly request: Pick<CatalogEntry["request"], "method" | "encoding">;
}

/**
 * Either form of an input → the composite form. All keys within `pathParams`, `queryParams`, `body`: composite.
 * Otherwise flat: each key goes to the place that declares it. An undeclared key goes to the body if there is one, and
 * is refused otherwise. A key that two places declare is refused, and the error shows the composite form to use. No
 * input means an empty one. Nesting depth and `__proto__` members were checked when it was parsed: a request in
 * `http/json-body.ts`, a file in `catalog/parsing/`. Throws invalidInput. docs/contract.md, "Input".
 */
export function normalizeInput(target: InputTarget, input: unknown): RunInput {
  if (input === undefined) return {};
  if (!isRecord(input)) {
    throw new ApiError("invalidInput", "input must be a JSON object of the endpoint's parameters");
  }
  const isComposite = Object.keys(input).every((key) => (INPUT_SECTIONS as readonly string[]).includes(key));
  return isComposite ? fromComposite(input) : fromFlat(target, input);
}

/** Why an input cannot be brought into composite form; undefined when it can. Does not check values. */
export function complainAboutInput(target: InputTarget, input: unknown): string | undefined {
  try {
    normalizeInput(target, input);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}

function fromComposite(input: Readonly<Record<string, unknown>>): RunInput {
  const composite: { [section in InputSection]?: Record<string, unknown> } = {};
  for (const section of INPUT_SECTIONS) {
    if (!Object.hasOwn(input, section)) continue;
    const value = input[section];
    if (!isRecord(value)) {
      throw new ApiError("invalidInput", `input.${section} must be a JSON object of parameters`);
    }
    if (Object.keys(value).length > 0) composite[section] = value as Record<string, unknown>;
  }
  return composite;
}

function fromFlat(target: InputTarget, input: object): RunInput {
  const declared = INPUT_SECTIONS.map((section) => {
    const schema = target.input[section];
    return { section, names: schema === undefined ? new Set<string>() : new Set(declaredProperties(schema).keys()) };
  });
  const composite: { [section in InputSection]?: Record<string, unknown> } = {};
  for (const [key, value] of Object.entries(input)) {
    const homes = declared.filter(({ names }) => names.has(key)).map(({ section }) => section);
    if (homes.length > 1) throw ambiguous(key, value, homes);
    const section = homes[0] ?? homeOfUndeclared(target, key);
    const part = (composite[section] ??= {});
    part[key] = value;
  }
  return composite;
}

function homeOfUndeclared(target: InputTarget, key: string): InputSection {
  if (takesBody(target.request)) return "body";
  const names = INPUT_SECTIONS.flatMap((section) => {
    const schema = target.input[section];
    return schema === undefined ? [] : [...declaredProperties(schema).keys()];
  });
  const taken = names.length === 0 ? "it takes no parameters" : `it takes ${names.join(", ")}`;
  throw new ApiError(
    "invalidInput",
    `input.${key} is not a parameter of this endpoint${didYouMean(key, names) || `; ${taken}`}`,
  );
}

function ambiguous(key: string, value: unknown, homes: readonly InputSection[]): ApiError {
  const text = JSON.stringify(value) ?? "null";
  const shown = text.length > 60 ? '"…"' : text;
  const forms = homes.map((section) => `{"${section}": {${JSON.stringify(key)}: ${shown}}}`);
  return new ApiError(
    "invalidInput",
    `input.${key} could mean ${homes.join(" or ")}: choose one with the composite form ${forms.join(" or ")}`,
  );
}
