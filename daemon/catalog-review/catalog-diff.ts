import type { ManifestMoney } from "../manifest/manifest-price.ts";
import { stat } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { listFolders } from "../catalog/reading/catalog-folder.ts";
import { ProblemList } from "../catalog/problems/catalog-problem.ts";
import { compareInputs } from "./compare-inputs.ts";
import { reportIssues } from "../catalog/problems/manifest-issues.ts";
import { type EndpointDraft, mergeEndpoint } from "../catalog/entries/merge-endpoint.ts";
import { readManifestFile } from "../catalog/parsing/read-manifest-file.ts";
import { Manifest } from "../manifest/manifest.ts";
import { ApiError } from "../../shared/errors.ts";

/** One difference of an endpoint, in words for a reviewer. */
export interface EndpointChange {
  readonly kind: "price" | "input" | "output" | "call" | "state" | "text";
  readonly words: string;
  /** Whether a caller of the old version may fail with the new one. */
  readonly breaking: boolean;
}

export interface EndpointDiff {
  readonly provider: string;
  readonly path: string;
  readonly change: "added" | "removed" | "changed";
  readonly breaking: boolean;
  /** For changed endpoints; for an added one, its price. */
  readonly changes: readonly EndpointChange[];
}

export interface CatalogDiff {
  readonly endpoints: readonly EndpointDiff[];
  /** 0: no breaking change; 1: at least one. */
  readonly exitCode: 0 | 1;
}

type Drafts = ReadonlyMap<string, EndpointDraft>;

/**
 * `mkt catalog diff`: what the differences between two manifests, or two folders of them, mean for callers. Throws
 * ApiError when one cannot be read.
 */
export async function diffCatalogs(before: string, after: string): Promise<CatalogDiff> {
  const [old, now] = [await readDrafts(before), await readDrafts(after)];
  const endpoints = [...new Set([...old.keys(), ...now.keys()])].sort().flatMap((key) => {
    const [provider = "", path = ""] = JSON.parse(key) as [string, string];
    const found = diffEndpoint(old.get(key), now.get(key));
    return found === undefined ? [] : [{ provider, path, ...found }];
  });
  return { endpoints, exitCode: endpoints.some(({ breaking }) => breaking) ? 1 : 0 };
}

function diffEndpoint(
  before: EndpointDraft | undefined,
  after: EndpointDraft | undefined,
): Pick<EndpointDiff, "change" | "breaking" | "changes"> | undefined {
  if (after === undefined) return { change: "removed", breaking: true, changes: [] };
  if (before === undefined) {
    const words = `costs ${wordPrice(after.manifestPrice)}`;
    return { change: "added", breaking: false, changes: [{ kind: "price", words, breaking: false }] };
  }
  const changes = [
    ...diffState(before, after),
    ...diffPrice(before, after),
    ...compareInputs(before.input, after.input).map((change) => ({ kind: "input" as const, ...change })),
    ...diffRest(before, after),
  ];
  if (changes.length === 0) return undefined;
  return { change: "changed", breaking: changes.some(({ breaking }) => breaking), changes };
}

function diffState(before: EndpointDraft, after: EndpointDraft): EndpointChange[] {
  const changes: EndpointChange[] = [];
  if (before.enabled !== after.enabled) {
    changes.push({ kind: "state", words: after.enabled ? "is enabled" : "is disabled", breaking: !after.enabled });
  }
  if (before.deprecated !== after.deprecated) {
    const words = after.deprecated === undefined ? "is deprecated no more" : `is deprecated: ${after.deprecated}`;
    changes.push({ kind: "state", words, breaking: false });
  }
  return changes;
}

function diffPrice(
  { manifestPrice: before }: EndpointDraft,
  { manifestPrice: after }: EndpointDraft,
): EndpointChange[] {
  if (isDeepStrictEqual(before, after)) return [];
  return [{ kind: "price", words: `costs ${wordPrice(after)}, was ${wordPrice(before)}`, breaking: false }];
}

function diffRest(before: EndpointDraft, after: EndpointDraft): EndpointChange[] {
  const changes: EndpointChange[] = [];
  if (!isDeepStrictEqual(before.output, after.output)) {
    const words = `answers ${JSON.stringify(after.output)}, was ${JSON.stringify(before.output)}`;
    changes.push({ kind: "output", words, breaking: true });
  }
  if (!isDeepStrictEqual(before.request, after.request) || before.http.baseUrl !== after.http.baseUrl) {
    changes.push({ kind: "call", words: `calls ${wordCall(after)}, was ${wordCall(before)}`, breaking: false });
  }
  const hasOtherText = (["displayName", "description", "docUrl"] as const).some((name) => before[name] !== after[name]);
  if (hasOtherText || !isDeepStrictEqual(before.tags, after.tags)) {
    changes.push({ kind: "text", words: "is described in other words", breaking: false });
  }
  return changes;
}

function wordCall({ request, http }: EndpointDraft): string {
  return `${request.method} ${request.url ?? `${http.baseUrl ?? ""}${request.path ?? ""}`}`;
}

function wordPrice(price: EndpointDraft["manifestPrice"]): string {
  if (price === undefined) return "nothing";
  if (price.type === "FREE") return price.billedByVendor === true ? "what its provider bills" : "nothing";
  if (price.type === "PER_CALL") return `${wordMoney(price.amount)} a call`;
  if (price.type === "PER_RESULT") {
    const flat = price.flatFee === undefined ? "" : ` and ${wordMoney(price.flatFee)} a run`;
    return `${wordMoney(price.amount)} a result${flat}`;
  }
  const { type, ...rest } = price;
  return `${type} ${JSON.stringify(rest)}`;
}

function wordMoney(money: ManifestMoney): string {
  return `$${typeof money === "number" ? money : money.value}`;
}

/** Endpoints by provider and path. */
async function readDrafts(path: string): Promise<Drafts> {
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined)
    throw new ApiError("notFound", `${path} does not exist; name a manifest or a catalog folder`);
  const drafts = new Map<string, EndpointDraft>();
  const files = facts.isDirectory()
    ? (await listFolders([{ dir: path }])).found.flatMap(({ manifests }) => manifests)
    : [path];
  for (const file of files) {
    const manifest = await readManifest(file);
    for (const [endpointPath, endpoint] of Object.entries(manifest.endpoints)) {
      drafts.set(JSON.stringify([manifest.provider, endpointPath]), mergeEndpoint(manifest, endpointPath, endpoint));
    }
  }
  return drafts;
}

async function readManifest(file: string): Promise<Manifest> {
  const read = await readManifestFile(file);
  if ("source" in read) {
    const shape = Manifest.safeParse(read.source.value);
    if (shape.success) return shape.data;
    const problems = new ProblemList(file, read.source.lineOf);
    reportIssues(problems, Manifest, read.source.value, shape.error.issues);
    throw unreadable(file, problems.list()[0]);
  }
  throw unreadable(file, read.problems[0]);
}

function unreadable(file: string, problem: { readonly path: string; readonly message: string } | undefined): ApiError {
  const place = problem === undefined || problem.path === "" ? "" : `${problem.path}: `;
  return new ApiError("invalidInput", `${file} is no manifest: ${place}${problem?.message ?? "it cannot be read"}`);
}

/** The differences for people, with breaking ones marked by `!`. Ends with a line break. */
export function renderCatalogDiff({ endpoints }: CatalogDiff): string {
  if (endpoints.length === 0) return "No differences.\n";
  const sign = { added: "+", removed: "-", changed: "~" } as const;
  const lines = endpoints.flatMap(({ provider, path, change, changes, breaking }) => [
    `${sign[change]} ${provider}${path}${breaking && change === "removed" ? "  ! no longer there" : ""}`,
    ...changes.map(({ words, breaking: breaks }) => `  ${breaks ? "!" : " "} ${words}`),
  ]);
  const breaking = endpoints.filter((endpoint) => endpoint.breaking).length;
  const total = `${endpoints.length} ${endpoints.length === 1 ? "endpoint differs" : "endpoints differ"}`;
  return `${lines.join("\n")}\n${total}; ${breaking === 0 ? "nothing breaks a caller" : `${breaking} may break callers (!)`}.\n`;
}
