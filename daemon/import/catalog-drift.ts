import { isRecord } from "../../shared/is-record.ts";
import { memberOf } from "../../shared/member-of.ts";
import type { Grant } from "../catalog/grants/grants.ts";
import { fetchDescription } from "./documents/fetch-description.ts";
import { NO_CHOICES } from "./import-catalog.ts";
import { ImportFolder, type KnownManifest } from "./import-folder.ts";
import { compareTools } from "./mcp/print-tools.ts";
import type { DocumentImporter, ImportRecord } from "./steps/import-steps.ts";
import { ImportRefused } from "./conversion/imported-provider.ts";
import type { McpAccess } from "./mcp/read-mcp-server.ts";
import { toolSource } from "./steps/tool-source.ts";
import { compareOperations } from "./documents/operation-prints.ts";
import type { FoundDrift, ProviderDrift, ToolDifference } from "./drift-report.ts";

export interface DriftRequest {
  /** The catalog folder. */
  readonly dir: string;
  /** Empty: all imported ones. */
  readonly providers: readonly string[];
  readonly access: McpAccess;
  /** Has the keys of markets, under the names in their providers' files. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** What the owner allowed provider files to use: the key of a market goes nowhere else. */
  readonly grants?: readonly Grant[];
  /** Such as `2026-11-21`. */
  readonly today: string;
}

/**
 * `mkt catalog drift`: reads the sources of imported manifests again. Changes no manifest; what differs at an MCP server is
 * noted beside them, so that a running daemon knows it. Throws ImportRefused for unknown slugs.
 */
export async function findDrift(request: DriftRequest, importer: DocumentImporter): Promise<FoundDrift> {
  if (request.access.authorization !== undefined && request.providers.length !== 1) {
    throw new ImportRefused(
      "auth-env",
      "--auth-env sends a token to one MCP server or market: name the provider it belongs to.",
    );
  }
  const folder = await ImportFolder.open(request.dir, undefined);
  const providers: ProviderDrift[] = [];
  let accept: FoundDrift["accept"];
  for (const manifest of choose(folder, request.providers)) {
    const looked = await lookAt(manifest, { environment: {}, grants: [], ...request, folder, importer });
    providers.push(looked.drift);
    accept = looked.accept;
  }
  const report = { providers, exitCode: providers.every(({ state }) => state === "same") ? 0 : 1 } as const;
  return { report, ...(accept !== undefined && { accept }) };
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

interface DriftParts extends Required<Pick<DriftRequest, "access" | "today" | "environment" | "grants">> {
  readonly folder: ImportFolder;
  readonly importer: DocumentImporter;
}

interface Looked {
  readonly drift: ProviderDrift;
  readonly accept?: () => Promise<void>;
}

async function lookAt(manifest: Imported, parts: DriftParts): Promise<Looked> {
  const { slug, source } = manifest;
  const drift = { provider: slug, source: source.ref, added: [], removed: [], changed: [] };
  try {
    if (source.kind === "market") {
      const { findMarketDrift } = await import("./market-drift.ts");
      return await findMarketDrift(manifest, parts);
    }
    if (source.kind === "mcp") return await lookAtServer(manifest, drift, parts);
    const { sha256, operations } = await readAgain(source.ref, parts);
    if (sha256 === source.sha256) return { drift: { ...drift, state: "same" } };
    const record = await parts.folder.readRecord(slug);
    if (record === undefined) return { drift: { ...drift, state: "changed", why: NO_RECORD } };
    return { drift: { ...drift, state: "changed", ...compareOperations(record.operations, operations) } };
  } catch (error) {
    if (!(error instanceof ImportRefused)) throw error;
    return { drift: { ...drift, state: "unread", why: error.message } };
  }
}

const NO_RECORD = "no record of the import is left, so nobody knows which operations changed";

async function readAgain(ref: string, { importer, access }: DriftParts) {
  if (!/^https?:/i.test(ref)) return await importer.print({ kind: "file", path: ref });
  return await importer.print({ kind: "bytes", ...(await fetchDescription(ref, access)) });
}

async function lookAtServer(
  manifest: Imported,
  drift: Omit<ProviderDrift, "state">,
  { folder, access, importer, today }: DriftParts,
): Promise<Looked> {
  const { slug, source } = manifest;
  const { readMcpServer } = await import("./mcp/read-mcp-server.ts");
  const listing = await readMcpServer(source.ref, access);
  const record = await folder.readRecord(slug);
  const { added, changed, removed } = compareTools(record?.operations ?? {}, listing);
  const at = new Date().toISOString();
  // A folder that cannot be written to is looked at all the same; the daemon then finds out by itself.
  await folder.noteSeen(slug, { at, changed, removed }).catch(() => {});
  if (listing.sha256 === source.sha256) return { drift: { ...drift, state: "same" } };

  const existing = await folder.readExisting(manifest);
  const choices = { ...NO_CHOICES, ...record?.choices, slug };
  const authorization = access.authorization ?? authorizationOf(record);
  const tools = toolSource(listing, { ...access, ...(authorization !== undefined && { authorization }) });
  await importer.convert({ source: tools, choices, passesOver: false });
  const composed = await importer.compose({ slug, choices, today, existing });
  const accept = async () => void (await folder.write(slug, composed));
  const found =
    record === undefined
      ? { why: NO_RECORD }
      : {
          added,
          removed,
          changed,
          differences: compareTexts([...added, ...changed], record.manifest, composed.record.manifest),
        };
  return { drift: { ...drift, state: "changed", ...found }, accept };
}

/** The variable that the import named: a list that was read without its token must not take it out of the file. */
function authorizationOf(record: ImportRecord | undefined): McpAccess["authorization"] {
  const variable = memberOf(memberOf(memberOf(record?.manifest, "secrets"), "token"), "env");
  return typeof variable === "string" ? { variable, token: "" } : undefined;
}

/** The parts of endpoints that callers read. */
const SHOWN_PARTS = ["displayName", "description", "notes", "idempotent", "input", "output", "usage"];

function compareTexts(
  tools: readonly string[],
  before: ImportRecord["manifest"],
  now: ImportRecord["manifest"],
): ToolDifference[] {
  return tools.flatMap((tool) => {
    const [old, current] = [endpointOf(before, tool), endpointOf(now, tool)];
    return SHOWN_PARTS.flatMap((part) => {
      const [was, is] = [memberOf(old, part), memberOf(current, part)];
      if (JSON.stringify(was) === JSON.stringify(is)) return [];
      return [{ tool, part, ...(was !== undefined && { before: was }), ...(is !== undefined && { now: is }) }];
    });
  });
}

function endpointOf(manifest: ImportRecord["manifest"], tool: string): unknown {
  const endpoints = manifest["endpoints"];
  if (!isRecord(endpoints)) return undefined;
  return Object.values(endpoints).find((endpoint) => memberOf(memberOf(endpoint, "request"), "tool") === tool);
}
