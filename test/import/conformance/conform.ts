import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { importCatalog, type ImportReport } from "../../../daemon/import/import-catalog.ts";
import { InProcessImporter } from "../../../daemon/import/in-process-importer.ts";
import { isMembers, type Json, membersOf, readApiDocument } from "../../support/openapi-upstream/api-document.ts";
import { CLIENT_ID, OAuthServer } from "../../support/oauth-server.ts";
import {
  ISSUED_TOKEN,
  type OpenApiUpstream,
  startOpenApiUpstream,
} from "../../support/openapi-upstream/start-openapi-upstream.ts";
import { request } from "../../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../../support/start-daemon.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { makeInputs, type RunInputs } from "./make-inputs.ts";
import { whatDidNotArrive } from "./what-arrived.ts";

/** What one document came to. */
export interface Conformance {
  readonly endpoints: number;
  /** Operations that the import left out, each with why. */
  readonly skipped: readonly string[];
  /** Endpoints that were called with what the upstream finds valid, as often as there were inputs for them. */
  readonly called: number;
  readonly runs: number;
  /** Operations of the document that were reached. */
  readonly operations: number;
  /** Schemas of the document that no validator takes, so that nothing was judged by them. */
  readonly unjudged: number;
  /** What the stand-in said, what did not arrive as it was given, and runs that came to nothing. */
  readonly complaints: readonly string[];
  /** Endpoints that no input could be made for, or that are off, each with why. */
  readonly notCalled: readonly string[];
}

/** A document as text may be JSON too: YAML holds all of it. */
export function readDocument(file: string): Json {
  const text = readFileSync(file, "utf8").replace(/^\ufeff/, "");
  const root: unknown = /^\s*\{/.test(text) ? JSON.parse(text) : parse(text, { maxAliasCount: -1, merge: true });
  if (!isMembers(root)) throw new Error(`${file} is no object`);
  return root;
}

/**
 * Imports a document as `mkt catalog import` does, points the manifest at a stand-in that is made of the same document, and
 * runs every endpoint over HTTP: with what it needs, and with all that it takes. Without `includeOperations` it takes those
 * that the import takes by itself.
 */
export async function conform(file: string, includeOperations: readonly string[] = []): Promise<Conformance> {
  const root = readDocument(file);
  const { manifest: imported, skipped } = await importDocument(file, root, includeOperations);
  const login = findLogin(imported);
  const secrets = Object.entries(membersOf(imported["secrets"])).map(([name, secret]) => {
    const value = login?.["clientId"] === `\${secret.${name}}` ? CLIENT_ID : `secret-of-${name}`;
    return [name, String(membersOf(secret)["env"]), value] as const;
  });
  await using upstream = await startOpenApiUpstream(root, { credentials: secrets.map(([, , value]) => value) });
  const [, , clientSecret] = secrets.find(([name]) => login?.["clientSecret"] === `\${secret.${name}}`) ?? [];
  await using loginServer = await OAuthServer.start({ ...(clientSecret !== undefined && { clientSecret }) });
  const manifest = pointAt(imported, { upstream, loginServer });
  await using daemon = await startTestDaemon({
    manifests: { [String(manifest["provider"])]: manifest },
    environment: Object.fromEntries(secrets.map(([, env, value]) => [env, value])),
    allowPrivateHosts: [loginServer.host],
  });
  if (login !== undefined) await connect(daemon, loginServer, String(manifest["provider"]));
  const tally = { called: 0, runs: 0, complaints: [] as string[], notCalled: [] as string[] };
  const endpoints = Object.entries(membersOf(manifest["endpoints"])) as [string, Json][];
  for (const [path, endpoint] of endpoints) {
    if (endpoint["enabled"] === false) {
      tally.notCalled.push(`${path}: it is off`);
      continue;
    }
    const sent = await runAll({ daemon, upstream, manifest, path, endpoint });
    tally.runs += sent.runs;
    tally.complaints.push(...sent.complaints);
    tally.notCalled.push(...sent.refused);
    if (sent.runs > 0) tally.called += 1;
  }
  const operations = new Set(upstream.calls.map(({ operation }) => operation)).size;
  return { endpoints: endpoints.length, skipped, operations, unjudged: upstream.unusableSchemas.size, ...tally };
}

interface ImportedDocument {
  readonly manifest: Json;
  readonly skipped: readonly string[];
}

/** The manifest as the import wrote it. An address is given for a document that names none, as a person would. */
async function importDocument(
  file: string,
  root: Json,
  includeOperations: readonly string[],
): Promise<ImportedDocument> {
  using folder = tempDir();
  const importer = new InProcessImporter();
  const take = async (baseUrl?: string) =>
    await importCatalog(
      {
        named: [file],
        out: join(folder.path, baseUrl === undefined ? "first" : "second"),
        choices: { includeOperations, ...(baseUrl !== undefined && { baseUrl }) },
        mcp: false,
        dryRun: false,
        access: { allowPrivateHosts: new Set() },
        today: "2026-11-21",
      },
      { importer },
    );
  const first = readImported(await take());
  const needsAddress = String(membersOf(first.manifest["http"])["baseUrl"]).endsWith(".invalid");
  return needsAddress ? readImported(await take(`https://api.example.com${basePathOf(root)}`)) : first;
}

/** What a person reads off the document: the path of its first server, with a word for every variable. */
function basePathOf(root: Json): string {
  const [operation] = readApiDocument(root).operations;
  return (operation?.bases[0] ?? "").replaceAll(/\{[^{}]*\}/g, "word");
}

function readImported({ documents }: ImportReport): ImportedDocument {
  const [document] = documents;
  if (document?.manifest === undefined) throw new Error(`not imported: ${document?.error?.message ?? "nothing"}`);
  return {
    manifest: membersOf(parse(readFileSync(document.manifest, "utf8"))),
    skipped: document.skipped.map(({ operation, why }) => `${operation}: ${why}`),
  };
}

/** The login of a person that the import wrote, whether for the provider or for one of its endpoints. */
function findLogin(manifest: Json): Json | undefined {
  const places = [manifest, ...Object.values(membersOf(manifest["endpoints"])).map(membersOf)];
  const auths = places.flatMap((place) => membersOf(place["http"])["auth"] ?? []).map(membersOf);
  return auths.find(({ flow }) => flow === "authorizationCode");
}

/** Logs in as a person would. The login's server gives a token that the stand-in of the API takes. */
async function connect(daemon: TestDaemon, server: OAuthServer, provider: string): Promise<void> {
  server.faults.push({ members: { access_token: ISSUED_TOKEN } });
  const begun = await daemon.request("POST", "/v1/connections", { provider });
  await request(await server.login(begun.body.address));
}

/** Where a manifest is tried. */
interface StandIns {
  readonly upstream: OpenApiUpstream;
  readonly loginServer: OAuthServer;
}

/** The edits that a person makes to try a provider against servers of their own. */
function pointAt(manifest: Json, standIns: StandIns): Json {
  const endpoints = Object.entries(membersOf(manifest["endpoints"])).map(([path, endpoint]) => {
    const { http, ...rest } = membersOf(endpoint);
    return [path, http === undefined ? rest : { ...rest, http: httpAt(membersOf(http), standIns) }] as const;
  });
  return {
    ...manifest,
    http: { ...httpAt(membersOf(manifest["http"]), standIns), allowPrivateNetwork: true },
    endpoints: Object.fromEntries(endpoints),
  };
}

function httpAt(http: Json, standIns: StandIns): Json {
  const { baseUrl, auth, allowPrivateNetwork: _, ...rest } = http;
  const { origin } = standIns.upstream;
  const at = (one: unknown) => authAt(membersOf(one), standIns);
  return {
    ...rest,
    ...(typeof baseUrl === "string" && { baseUrl: `${origin}${new URL(baseUrl).pathname.replace(/\/$/, "")}` }),
    ...(auth !== undefined && { auth: Array.isArray(auth) ? auth.map(at) : at(auth) }),
  };
}

function authAt(auth: Json, { upstream: { tokenUrl }, loginServer: { url } }: StandIns): Json {
  if (auth["tokenUrl"] === undefined) return auth;
  if (auth["flow"] !== "authorizationCode") return { ...auth, tokenUrl };
  const { refreshUrl: _, ...rest } = auth;
  return { ...rest, authorizationUrl: `${url}/authorize`, tokenUrl: `${url}/token` };
}

interface EndpointRuns {
  readonly daemon: TestDaemon;
  readonly upstream: OpenApiUpstream;
  readonly manifest: Json;
  readonly path: string;
  readonly endpoint: Json;
}

async function runAll(given: EndpointRuns) {
  const outcome = { runs: 0, complaints: [] as string[], refused: [] as string[] };
  const inputs = makeInputs(given.endpoint, membersOf(given.manifest["schemas"]));
  for (const input of inputs) await runOnce(given, input, outcome);
  if (inputs.length === 0) outcome.refused.push(`${given.path}: no input was found for it`);
  return outcome;
}

async function runOnce(
  { daemon, upstream, manifest, path, endpoint }: EndpointRuns,
  input: RunInputs,
  outcome: { runs: number; readonly complaints: string[]; readonly refused: string[] },
): Promise<void> {
  const before = upstream.calls.length;
  const told = upstream.complaints.length;
  const answer = await daemon.request("POST", "/v1/run", { provider: manifest["provider"], endpoint: path, input });
  const call = upstream.calls[before];
  if (answer.status === 400) {
    outcome.refused.push(`${path}: ${String(answer.body.message)}`);
    return;
  }
  outcome.runs += 1;
  const found = upstream.complaints.slice(told);
  if (call !== undefined && found.length === 0) found.push(...whatDidNotArrive(endpoint, input, call));
  const status: unknown = answer.body?.providerResponse?.httpStatus;
  const isWell = answer.status === 200 && typeof status === "number" && status < 300;
  if (found.length === 0 && !isWell) found.push(`the run came to ${JSON.stringify(answer.body).slice(0, 400)}`);
  outcome.complaints.push(...found.map((complaint) => `${path}: ${complaint}`));
}
