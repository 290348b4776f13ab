import { readdir } from "node:fs/promises";
import { basename } from "node:path";
import { ServiceError } from "../../shared/client/service-error.ts";
import type { CatalogProviderStatus } from "../../shared/contract/admin.ts";
import { shellLine } from "../words/shell-line.ts";
import { type DoctorCheck, fine, type Finding, found, skipped } from "./check.ts";

const timeoutMs = 10_000;

/**
 * Whether the providers of the service can be called. Nobody has the secrets of all bundled providers: those are only
 * counted, and only your own providers are reported as findings.
 */
export function providersCheck(bundledCatalogDir: string | undefined): DoctorCheck {
  return {
    name: "providers",
    async look({ settings, client, health }) {
      if (client === undefined || settings === undefined || health?.headers === undefined) {
        return skipped("no service to ask");
      }
      try {
        const { providers } = await client.getAdminCatalog({}, { signal: AbortSignal.timeout(timeoutMs) });
        const waiting = providers.filter(({ available }) => !available).length;
        const saw = `${providers.length - waiting} of ${providers.length} can be called`;
        const isLocal = settings.baseUrl?.from === "the local daemon";
        const bundled = await bundledFiles(bundledCatalogDir);
        const own = providers.filter(({ file }) => !bundled.has(basename(file)));
        const findings = isLocal ? own.flatMap(findingsOf) : [];
        if (findings.length > 0) return found(saw, ...findings);
        return fine(waiting === 0 ? saw : `${saw}; the others: mkt catalog list`);
      } catch (error) {
        return skipped(error instanceof ServiceError ? "only the operator may see them" : "no service answers");
      }
    },
  };
}

function findingsOf({ provider, missingSecrets, needsGrant }: CatalogProviderStatus): Finding[] {
  const findings: Finding[] = missingSecrets.map(({ env }) => ({
    message: `The provider ${provider} needs the secret ${env}, which is not set.`,
    next: shellLine("mkt", "secrets", "set", env),
  }));
  if (needsGrant) {
    findings.unshift({
      message: `The provider ${provider} is not granted what its file asks for.`,
      next: shellLine("mkt", "catalog", "grant", provider),
    });
  }
  return findings;
}

/** By their names: a daemon that was started from another place has them elsewhere. */
async function bundledFiles(folder: string | undefined): Promise<Set<string>> {
  return new Set(folder === undefined ? [] : await readdir(folder).catch(() => []));
}
