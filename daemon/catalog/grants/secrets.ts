import type { CatalogProvider } from "../entries/catalog-entry.ts";
import { compileLinearPattern } from "../input/linear-pattern.ts";

/** The daemon's environment, passed in: nothing here reads `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface MissingSecret {
  readonly name: string;
  readonly env: string;
  readonly description?: string;
  /** True when the variable is set but does not have the form that the file requires. */
  readonly malformed: boolean;
}

/** The environment, with stored values for variables that are not set. Rebuilt when `stored` returns another object. */
export function overlay(environment: Environment, stored: () => Environment): () => Environment {
  const own = Object.entries(environment).filter(([, value]) => value !== undefined && value !== "");
  let known: { readonly stored: Environment; readonly both: Environment } | undefined;
  return () => {
    const current = stored();
    if (known?.stored !== current) known = { stored: current, both: { ...current, ...Object.fromEntries(own) } };
    return known.both;
  };
}

/** The values of a provider's secrets that are set, by their names in the file. Only for a provider with a grant. */
export function readSecrets(
  provider: Pick<CatalogProvider, "secrets">,
  environment: Environment,
): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, { env }] of Object.entries(provider.secrets)) {
    const value = Object.hasOwn(environment, env) ? environment[env] : undefined;
    if (value !== undefined && value !== "") values[name] = value;
  }
  return values;
}

/** What still has to be set before the provider can be called; optional secrets may be absent. */
export function findMissingSecrets(
  provider: Pick<CatalogProvider, "secrets">,
  environment: Environment,
): readonly MissingSecret[] {
  const values = readSecrets(provider, environment);
  return Object.entries(provider.secrets).flatMap(([name, { env, description, pattern, optional }]) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    const malformed = value !== undefined && pattern !== undefined && !looksLike(pattern, value);
    if (value === undefined ? optional : !malformed) return [];
    return [{ name, env, ...(description !== undefined && { description }), malformed }];
  });
}

function looksLike(pattern: string, value: string): boolean {
  const { maxCharacters, test } = compileLinearPattern(pattern);
  return value.length <= maxCharacters && test(value);
}
