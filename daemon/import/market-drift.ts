import { memberOf } from "../../shared/member-of.ts";
import type { Grant } from "../catalog/grants/grants.ts";
import { originOf } from "../manifest/url-origin.ts";
import { composeProvider, marketSource, takenBefore } from "./add-market.ts";
import { ImportRefused } from "./conversion/imported-provider.ts";
import { compareOperations } from "./documents/operation-prints.ts";
import type { FoundDrift, ProviderDrift } from "./drift-report.ts";
import type { ImportFolder, KnownManifest } from "./import-folder.ts";
import { printMarket } from "./market/print-market.ts";
import { readMarket } from "./market/read-market.ts";
import { authorizationFrom, type McpAccess } from "./mcp/read-mcp-server.ts";
import type { DocumentImporter, ImportRecord } from "./steps/import-steps.ts";

export interface MarketDriftParts {
  readonly folder: ImportFolder;
  readonly importer: DocumentImporter;
  readonly access: McpAccess;
  /** Where the key of a market is, under the name that its provider's file gives. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Without one for that variable and that address, a file gets no key sent. */
  readonly grants: readonly Grant[];
  readonly today: string;
}

type Imported = KnownManifest & { readonly source: NonNullable<KnownManifest["source"]> };

/**
 * How a provider of a market differs from what was taken over. What changed stays on: a run asks the market for its price
 * and never costs more than that. Throws ImportRefused when the market cannot be read.
 */
export async function findMarketDrift(
  manifest: Imported,
  parts: MarketDriftParts,
): Promise<{ readonly drift: ProviderDrift; readonly accept?: NonNullable<FoundDrift["accept"]> }> {
  const { slug, source } = manifest;
  const { folder, importer, today } = parts;
  const drift = { provider: slug, source: source.ref, added: [], removed: [], changed: [] };
  const record = await folder.readRecord(slug);
  const access = accessTo(manifest, record, parts);
  const [address = "", provider = ""] = source.ref.split("#");
  const { providers } = await readMarket(address, access, { providers: [provider] });
  const [listing] = providers;
  if (listing === undefined) {
    throw new ImportRefused("market", "the market no longer lists this provider; remove its file, or wait for it");
  }
  if (listing.sha256 === source.sha256) return { drift: { ...drift, state: "same" } };

  const taken = takenBefore(record, slug);
  const composed = await composeProvider(marketSource(listing, taken, access), {
    slug,
    known: manifest,
    folder,
    importer,
    today,
  });
  const accept = async () => void (await folder.write(slug, composed));
  return {
    drift: { ...drift, state: "changed", ...compareOperations(record?.operations ?? {}, printMarket(listing)) },
    accept,
  };
}

/**
 * The file may be somebody else's, and what it names may be any variable of this machine: its value goes only to an address
 * that the owner granted it for. docs/manifest.md, "Grants"
 */
function accessTo(
  { slug, source }: Imported,
  record: ImportRecord | undefined,
  { access, environment, grants }: MarketDriftParts,
): McpAccess {
  if (access.authorization !== undefined) return access;
  const variable = memberOf(memberOf(memberOf(record?.manifest, "secrets"), "key"), "env");
  if (typeof variable !== "string") return access;
  const origin = originOf(source.ref);
  const isGranted = grants.some(
    (grant) =>
      grant.provider === slug &&
      grant.variables.includes(variable) &&
      origin !== undefined &&
      grant.origin.split(" ").includes(origin),
  );
  if (isGranted) return { ...access, authorization: authorizationFrom(variable, environment) };
  throw new ImportRefused(
    "grant",
    `its file may not use ${variable} there yet: run mkt catalog grant ${slug}, or name the variable yourself: mkt catalog drift ${slug} --auth-env ${variable}`,
  );
}
