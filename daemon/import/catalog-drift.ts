import { fetchDescription } from "./documents/fetch-description.ts";
import { ImportFolder, type KnownManifest } from "./import-folder.ts";
import type { DocumentImporter } from "./steps/import-steps.ts";
import { ImportRefused } from "./conversion/imported-provider.ts";
import type { McpAccess } from "./mcp/read-mcp-server.ts";
import { toolSource } from "./steps/tool-source.ts";
import type { OperationPrints } from "./documents/operation-prints.ts";

export interface DriftRequest {
  /** The catalog folder. */
  readonly dir: string;
  /** Empty: all imported ones. */
  readonly providers: readonly string[];
  readonly access: McpAccess;
}

/** How one provider's document differs from the last import. */
export interface ProviderDrift {
  readonly provider: string;
  readonly source: string;
  /** `unread`: the document is no longer available; `why` gives the reason. */
  readonly state: "same" | "changed" | "unread";
  /** Operations such as `GET /users/{id}`, or names of tools. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly why?: string;
}

export interface DriftReport {
  readonly providers: readonly ProviderDrift[];
  /** 0: every document is unchanged since its import; 1: one has changed or cannot be read. */
  readonly exitCode: 0 | 1;
}

/**
 * `mkt catalog drift`: reads the sources of imported manifests again. Changes nothing. Throws ImportRefused for unknown
 * slugs.
 */
export async function findDrift(request: DriftRequest, importer: DocumentImporter): Promise<DriftReport> {
  if (request.access.authorization !== undefined && request.providers.length !== 1) {
    throw new ImportRefused("auth-env", "--auth-env sends a token to one MCP server: name the provider it belongs to.");
  }
  const folder = await ImportFolder.open(request.dir, undefined);
  const providers: ProviderDrift[] = [];
  for (const manifest of choose(folder, request.providers)) {
    providers.push(await lookAt(manifest, { folder, access: request.access, importer }));
  }
  return { providers, exitCode: providers.every(({ state }) => state === "same") ? 0 : 1 };
}

type Imported = KnownManifest & { readonly source: NonNullable<KnownManifest["source"]> };

function choose(folder: ImportFolder, asked: readonly string[]): Imported[] {
  if (asked.length === 0) return folder.manifests.filter(isImported);
  return asked.map((slug) => {
    const manifest = folder.find(slug);
    if (manifest !== undefined && isImported(manifest)) return manifest;
    const why = manifest === undefined ? `There is no ${slug} in ${folder.dir}` : `${slug} was not imported`;
    throw new ImportRefused("provider", `${why}.`);
  });
}

function isImported(manifest: KnownManifest): manifest is Imported {
  return manifest.source !== undefined;
}

interface DriftParts {
  readonly folder: ImportFolder;
  readonly access: McpAccess;
  readonly importer: DocumentImporter;
}

async function lookAt({ slug, source }: Imported, { folder, access, importer }: DriftParts): Promise<ProviderDrift> {
  const drift = { provider: slug, source: source.ref, added: [], removed: [], changed: [] };
  try {
    const { sha256, operations } = await readAgain(source, access, importer);
    if (sha256 === source.sha256) return { ...drift, state: "same" };
    const record = await folder.readRecord(slug);
    if (record !== undefined)
      return { ...drift, state: "changed", ...compareOperations(record.operations, operations) };
    return {
      ...drift,
      state: "changed",
      why: "no record of the import is left, so nobody knows which operations changed",
    };
  } catch (error) {
    if (!(error instanceof ImportRefused)) throw error;
    return { ...drift, state: "unread", why: error.message };
  }
}

async function readAgain({ kind, ref }: Imported["source"], access: McpAccess, importer: DocumentImporter) {
  if (kind === "mcp") {
    const { readMcpServer } = await import("./mcp/read-mcp-server.ts");
    return await importer.print(toolSource(await readMcpServer(ref, access), access));
  }
  if (!/^https?:/i.test(ref)) return await importer.print({ kind: "file", path: ref });
  return await importer.print({ kind: "bytes", ...(await fetchDescription(ref, access)) });
}

function compareOperations(before: OperationPrints, now: OperationPrints) {
  const [old, current] = [new Map(Object.entries(before)), new Map(Object.entries(now))];
  return {
    added: [...current.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !current.has(name)),
    changed: [...current.keys()].filter((name) => old.has(name) && old.get(name) !== current.get(name)),
  };
}

/** For people; ends with a line break. */
export function renderDrift({ providers }: DriftReport): string {
  if (providers.length === 0) return "Nothing in this folder was imported.\n";
  const lines = providers.flatMap(({ provider, source, state, added, removed, changed, why }) => {
    if (state === "same") return [`${provider}: as it was imported.`];
    const operations = [
      ...added.map((name) => `  + ${name}`),
      ...removed.map((name) => `  - ${name}`),
      ...changed.map((name) => `  ~ ${name}`),
    ];
    if (state === "unread") return [`${provider}: ${source} cannot be read: ${why ?? ""}`];
    const end = why ?? (operations.length === 0 ? "no operation did (texts, servers or the like)" : "");
    return [`${provider}: ${source} has changed${end === "" ? "" : `; ${end}`}.`, ...operations];
  });
  return `${lines.join("\n")}\n`;
}
