import { readdir } from "node:fs/promises";
import { basename } from "node:path";
import { ServiceError } from "../../shared/client/service-error.ts";
import type { CatalogProviderStatus } from "../../shared/contract/admin.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
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
        // A bundled provider without a secret is nobody's loss; one whose secret was set and is refused is.
        const refused = providers.filter((one) => one.secretVerdict === "failing" && !own.includes(one));
        const findings = isLocal ? [...own, ...refused].flatMap(findingsOf) : [];
        if (findings.length > 0) return found(saw, ...findings);
        return fine(waiting === 0 ? saw : `${saw}; the others: mkt catalog list`);
      } catch (error) {
        return skipped(error instanceof ServiceError ? "only the operator may see them" : "no service answers");
      }
    },
  };
}

function findingsOf({
  provider,
  missingSecrets,
  needsGrant,
  secretVerdict,
  secretVerdictAt,
}: CatalogProviderStatus): Finding[] {
  const findings: Finding[] = missingSecrets.map(({ env }) => ({
    message: `The provider ${provider} needs the secret ${env}, which is not set.`,
    next: shellLine("mkt", "secrets", "set", env),
  }));
  if (secretVerdict === "failing") {
    findings.push({
      message: `The provider ${provider} refuses its secret${secretVerdictAt === undefined ? "" : `, last at ${secretVerdictAt}`}.`,
      next: shellLine("mkt", "secrets", "test", provider),
    });
  }
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
