import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { request } from "undici";

/** What a run costs, in dollars. */
export const PRICE = 0.001;

/** A script of this folder as a process that ends with its stdin; `lines` are what it prints. */
export function startScript(name, ...words) {
  const path = fileURLToPath(new URL(`./${name}`, import.meta.url));
  const child = spawn(process.execPath, [path, ...words], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "close");
  return {
    lines: createInterface({ input: child.stdout }),
    child,
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}

/** A provider that answers at once, in a process of its own, and the manifest that sells it. */
export async function startProvider() {
  const script = startScript("provider.mjs");
  const [baseUrl] = await once(script.lines, "line");
  const price = { type: "PER_CALL", amount: PRICE };
  const manifest = {
    displayName: "Instant",
    description: "The weather, at once.",
    http: {
      baseUrl,
      allowPrivateNetwork: true,
      rateLimit: { requests: 1_000_000, perMs: 1_000, concurrency: 256 },
    },
    async: {
      start: { id: "$.id" },
      poll: {
        method: "GET",
        path: "/reports/${run.externalId}",
        everyMs: 100,
        status: "$.status",
        states: { running: ["working"], done: ["done"], failed: ["failed"] },
      },
      runMs: 60_000,
    },
    endpoints: {
      "/now": { description: "The weather now.", request: { method: "GET", path: "/now" }, price },
      "/report": { description: "A report, later.", request: { method: "POST", path: "/reports" }, price, async: {} },
    },
  };
  return { manifests: { instant: manifest }, stop: script.stop };
}

/** Asks as somebody with a key; the answer's body, parsed where it is JSON. Throws what is an error. */
export async function ask(url, key, method, path, body) {
  const answer = await request(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 400) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
  return String(answer.headers["content-type"]).startsWith("application/json") ? JSON.parse(text) : text;
}

/** Keys of so many workspaces with money to spend. */
export async function openWorkspaces(daemon, count) {
  const keys = [];
  for (let nth = 0; nth < count; nth += 1) {
    const { workspaceId } = await ask(daemon.url, daemon.key, "POST", "/v1/admin/workspaces", { name: `Load ${nth}` });
    const at = `/v1/admin/workspaces/${workspaceId}`;
    const amount = { value: 1_000_000, currency: "USD" };
    await ask(daemon.url, daemon.key, "POST", `${at}/credits`, { amount, reason: "to be spent" });
    keys.push((await ask(daemon.url, daemon.key, "POST", `${at}/api-keys`, { label: "load" })).key);
  }
  return keys;
}

/** Every run of a workspace, out of its export: id → status and cost in dollars. */
export async function exportedRuns(daemon, key) {
  const text = await ask(daemon.url, key, "GET", "/v1/runs/export?format=ndjson");
  const runs = new Map();
  for (const line of String(text).split("\n")) {
    if (line === "") continue;
    const run = JSON.parse(line);
    runs.set(run.runId, { status: run.status, cost: run.cost?.value ?? 0 });
  }
  return runs;
}

/** What the system says that a process has: resident memory in bytes, open descriptors. Undefined where it does not say. */
export function processFigures(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const memory = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1_024;
    return { memory, descriptors: readdirSync(`/proc/${pid}/fd`).length };
  } catch {
    return undefined;
  }
}

/** What is opened with the first work and stays open: files of the journal, a connection to a provider. */
const STAYING_DESCRIPTORS = 8;
/** Connections that nobody uses are kept for some seconds, to callers and to providers. */
const SETTLE_MS = 20_000;

/** What a process has once it has no more descriptors than when it was idle, but those that stay; at the latest after 20 s. */
export async function untilSettled(pid, idle) {
  const most = (idle?.descriptors ?? 0) + STAYING_DESCRIPTORS;
  const begin = performance.now();
  for (;;) {
    const figures = processFigures(pid);
    if (figures === undefined || figures.descriptors <= most || performance.now() - begin > SETTLE_MS) {
      return { ...figures, settled: figures === undefined || figures.descriptors <= most };
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
