import type { UnavailableReason } from "../../shared/contract/discovery.ts";
import type { CatalogProvider } from "./entries/catalog-entry.ts";
import type { MissingSecret } from "./grants/secrets.ts";

/** Whether a provider can be called now. `message` is the text of the 503: what is missing and how to fix it. */
export type Availability =
  | { readonly available: true }
  | {
      readonly available: false;
      readonly reason: "needs grant" | "missing secret" | "not supported";
      /** The environment variables that are not set; empty for the other reasons. */
      readonly missing: readonly string[];
      readonly message: string;
      /** The command that fixes it, if there is one. */
      readonly next?: string;
    };

/** The reasons in the words of the contract. */
export const unavailableReasons = {
  "missing secret": "missingSecret",
  "needs grant": "needsGrant",
  "not supported": "notSupported",
} as const satisfies Readonly<Record<string, UnavailableReason>>;

export function needsGrant({ provider }: Pick<CatalogProvider, "provider">): Availability {
  const next = `mkt catalog grant ${provider}`;
  return {
    available: false,
    reason: "needs grant",
    missing: [],
    message: `provider "${provider}" needs a grant: ${next}`,
    next,
  };
}

/** docs/manifest.md, "Secrets". */
export function missesSecrets(
  { provider }: Pick<CatalogProvider, "provider">,
  missing: readonly MissingSecret[],
): Availability {
  const unset = missing.filter(({ malformed }) => !malformed).map(({ env }) => env);
  const malformed = missing.filter((secret) => secret.malformed).map(({ env }) => env);
  const steps = [
    ...(unset.length > 0 ? [`set ${unset.join(" and ")}`] : []),
    ...(malformed.length > 0
      ? [`${malformed.join(" and ")} does not have the form that its file describes; set it again`]
      : []),
  ];
  const [first = ""] = [...unset, ...malformed];
  const next = `mkt secrets set ${first}`;
  return {
    available: false,
    reason: "missing secret",
    missing: missing.map(({ env }) => env),
    message: `provider "${provider}" is not configured: ${steps.join("; ")}, with ${next} or in the daemon's environment before it starts`,
    next,
  };
}

export function notSupported({ provider }: Pick<CatalogProvider, "provider">, path: string, why: string): Availability {
  const message = `${provider}${path} cannot be run: ${why}`;
  return { available: false, reason: "not supported", missing: [], message };
}
