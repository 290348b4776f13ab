import type { ErrorCode } from "../../shared/contract/common.ts";
import type { UnavailableReason } from "../../shared/contract/discovery.ts";
import { ApiError } from "../../shared/errors.ts";
import type { CatalogProvider } from "./entries/catalog-entry.ts";
import type { MissingSecret } from "./grants/secrets.ts";

/** Whether a provider can be called now. `message` is the text of the 503: what is missing and how to fix it. */
export type Availability =
  | { readonly available: true }
  | {
      readonly available: false;
      readonly reason: "needs grant" | "missing secret" | "not supported" | "tool changed";
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
  "tool changed": "changed",
} as const satisfies Readonly<Record<string, UnavailableReason>>;

/** What a person has to do about it, by which clients tell the reasons apart. docs/contract.md, "Error codes". */
const errorCodes = {
  "missing secret": "MISSING_SECRET",
  "needs grant": "MISSING_GRANT",
  "not supported": "NOT_CONFIGURED",
  "tool changed": "NOT_CONFIGURED",
} as const satisfies Readonly<Record<string, ErrorCode>>;

/** The 503 of what cannot be called. Without Retry-After: somebody has to set it up, and waiting does not do that. */
export function unavailable({ reason, message, next }: Extract<Availability, { available: false }>): ApiError {
  return new ApiError("unavailable", message, {
    errorCode: errorCodes[reason],
    ...(next !== undefined && { extra: { next } }),
  });
}

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

/** How the tool of an MCP server differs from what was imported. */
export type ToolChange = "changed" | "removed";

export function toolChanged(
  { provider }: Pick<CatalogProvider, "provider">,
  { path, tool, change }: { readonly path: string; readonly tool: string; readonly change: ToolChange },
): Availability {
  const next = `mkt catalog drift ${provider} --accept`;
  const what =
    change === "removed"
      ? `its server no longer lists the tool ${JSON.stringify(tool)}`
      : `what its server says of the tool ${JSON.stringify(tool)} (description or schemas) has changed since it was imported`;
  const message = `${provider}${path} is off: ${what}. The owner of the service can look at the change and accept it: ${next}`;
  return { available: false, reason: "tool changed", missing: [], message, next };
}

export function notSupported({ provider }: Pick<CatalogProvider, "provider">, path: string, why: string): Availability {
  const message = `${provider}${path} cannot be run: ${why}`;
  return { available: false, reason: "not supported", missing: [], message };
}

/** Of a route whose members are all unavailable; the first of them says how to fix it. */
export function noMemberAvailable(path: string, ofMembers: readonly Availability[]): Availability {
  const reasons = ofMembers.flatMap((one) => (one.available ? [] : [one]));
  const [first] = reasons;
  const message = `routes${path} cannot be run, as none of its members can: ${reasons.map((one) => one.message).join("; ")}`;
  return {
    available: false,
    reason: first?.reason ?? "not supported",
    missing: [...new Set(reasons.flatMap(({ missing }) => missing))],
    message,
    ...(first?.next !== undefined && { next: first.next }),
  };
}
