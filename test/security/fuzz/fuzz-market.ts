import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mktHome, type MktHome } from "../../support/mkt-home.ts";
import { request } from "../../support/request.ts";
import { spawnDaemon, type SpawnedDaemon } from "../../support/spawn-mkt.ts";
import type { Caller } from "./callers.ts";
import type { OpenApiDocument } from "./document.ts";
import { KnownIds } from "./known-ids.ts";
import { BAZAAR, STALL } from "./purchases.ts";
import { manifestOf, startUpstream } from "./upstream.ts";

/** A daemon in a process of its own, with people in three workspaces and something at stake in each. */
export interface FuzzMarket extends AsyncDisposable {
  readonly home: MktHome;
  readonly environment: Readonly<Record<string, string>>;
  readonly daemon: SpawnedDaemon;
  readonly document: OpenApiDocument;
  /** Where backups may go. */
  readonly scratch: string;
  readonly keys: Readonly<Record<Exclude<Caller, "minted" | "nobody">, string>>;
  readonly ids: KnownIds;
  /** What no answer may hold: the providers' keys and those that people came with. */
  readonly secrets: readonly string[];
}

/** Stands in what the neighbour buys: nobody else may read it. */
export const NEIGHBOURS_MARK = "only-the-neighbour-may-read-this-7c1e";

/** Limits of the service are told from its faults by its answers, so the usual ones are out of the way. */
const unhurried = { MKT_RATE_LIMIT: "off", MKT_PUBLIC_RATE_LIMIT: "off", MKT_STARTING_CREDIT: "1000000" };

export async function openFuzzMarket(): Promise<FuzzMarket> {
  const home = mktHome();
  const scratch = join(home.path, "scratch");
  mkdirSync(scratch);
  writeFileSync(join(scratch, "file"), "not a folder");
  symlinkSync(join(scratch, "nowhere"), join(scratch, "dangling"));
  const upstream = await startUpstream();
  const providerKeys = { STALL_KEY: "canary-of-the-stall-9f3b", BAZAAR_KEY: "canary-of-the-bazaar-44d0" };
  const environment = { ...unhurried, ...providerKeys, MKT_LOG_LEVEL: "error" };
  const daemon = await spawnDaemon({
    home,
    environment,
    manifests: Object.fromEntries([STALL, BAZAAR].map((slug) => [slug, manifestOf(slug, upstream.url)])),
  });
  const dispose = async () => {
    await daemon[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
    home[Symbol.dispose]();
  };
  try {
    const ask = async (method: string, path: string, body?: object, key = daemon.key) => {
      const answer = await request(`${daemon.url}${path}`, method, { key, body });
      if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.text}`);
      return answer.body;
    };
    const settle = async (name: string) => {
      const { workspaceId } = await ask("POST", "/v1/admin/workspaces", { name });
      const { key } = await ask("POST", `/v1/admin/workspaces/${workspaceId}/api-keys`, { label: name });
      const credit = { amount: { value: 1_000_000, currency: "USD" }, reason: "to be spent" };
      await ask("POST", `/v1/admin/workspaces/${workspaceId}/credits`, credit);
      return { workspaceId: workspaceId as string, key: key as string };
    };
    const [ours, payer, neighbour] = [await settle("ours"), await settle("payer"), await settle("neighbour")];
    const keyOf = async (label: string, more: object) =>
      (await ask("POST", "/v1/api-keys", { label, ...more }, ours.key)).key as string;
    const [reader, revoked] = [await keyOf("reader", { scopes: ["runs:read"] }), await keyOf("revoked", {})];
    await ask("POST", "/v1/api-keys/revoked/revoke", undefined, ours.key);
    const keys = {
      operator: daemon.key,
      ours: ours.key,
      payer: payer.key,
      neighbour: neighbour.key,
      reader,
      revoked,
      stranger: `${ours.key.slice(0, -1)}_`,
    };
    const spared = ["owner", "ours", "payer", "neighbour", "reader", payer.workspaceId, neighbour.workspaceId];
    const ids = new KnownIds([...spared, ...Object.values(keys)]);
    ids.add("default", "workspaceId", "default");
    ids.add("default", "workspaceId", ours.workspaceId);
    const document = (await request(`${daemon.url}/openapi.json`)).body as OpenApiDocument;
    const secrets = [...Object.values(providerKeys), ...Object.values(keys)];
    return { home, environment, daemon, document, scratch, keys, ids, secrets, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}
