import { cleanLine } from "../../conversion/clean-text.ts";
import type { Secret } from "../../../manifest/manifest.ts";
import { words } from "../operations/name-endpoints.ts";

type Role = "key" | "token" | "username" | "password" | "clientId" | "clientSecret";

/**
 * Names for the secrets of one provider and for their environment variables; the first one of a role gets the short
 * name.
 */
export class SecretNames {
  readonly #slug: string;
  readonly #byScheme = new Map<string, string>();
  readonly #declarations = new Map<string, Omit<Secret, "optional">>();

  constructor(slug: string) {
    this.#slug = slug;
  }

  /** Always gives the same name for the same scheme and role. */
  name(scheme: string, role: Role, description: string): string {
    const id = `${role} ${scheme}`;
    const before = this.#byScheme.get(id);
    if (before !== undefined) return before;
    const name = this.#fresh(scheme, role);
    this.#byScheme.set(id, name);
    this.#declarations.set(name, { env: this.#environmentName(name), description });
    return name;
  }

  declaration(name: string): Omit<Secret, "optional"> {
    const found = this.#declarations.get(name);
    if (found === undefined) throw new Error(`no secret is named ${name}`);
    return found;
  }

  #fresh(scheme: string, role: Role): string {
    if (!this.#declarations.has(role)) return role;
    const prefix = words(scheme.replace(/^parameter /, "")).replaceAll("-", "_");
    const isWhole = scheme.startsWith("parameter ") && /_(?:key|token)$/.test(prefix);
    const stem = isWhole ? prefix : `${prefix}_${role}`;
    const base = /^[a-z]/.test(prefix) ? stem.slice(0, 60) : `other_${role}`;
    let name = base;
    for (let count = 2; this.#declarations.has(name); count += 1) name = `${base}_${count}`;
    return name;
  }

  #environmentName(name: string): string {
    const provider = this.#slug.replaceAll("-", "_").toUpperCase();
    const role = words(name).replaceAll("-", "_").toUpperCase();
    // A variable's name cannot begin with a digit, and MKT_ is reserved for mkt itself.
    return `${/^(?!MKT(_|$))[A-Z]/.test(provider) ? provider : `API_${provider}`}_${role}`;
  }
}

/** How a manifest refers to a secret. */
export function secretReference(secret: string): string {
  return `\${secret.${secret}}`;
}

/** What the document says of a credential, else what it is. */
export function describeSecret(scheme: { readonly description?: unknown }, otherwise: string): string {
  return cleanLine(scheme.description, 200) || otherwise;
}
