import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../dist/mkt.js", import.meta.url));

const running = new Set();
// A benchmark that fails must not leave its daemons behind.
process.once("exit", () => running.forEach((child) => child.kill("SIGKILL")));

/**
 * Starts the built daemon with all its files in `folder`, and with `manifests` by slug beside what is `bundled`, if it is.
 * `nodeWords` are options of Node itself, `environment` further variables.
 */
export async function startDaemon(folder, manifests = {}, { bundled = true, nodeWords = [], environment = {} } = {}) {
  const catalog = join(folder, "catalog");
  mkdirSync(catalog, { recursive: true });
  for (const [slug, manifest] of Object.entries(manifests)) {
    writeFileSync(join(catalog, `${slug}.json`), JSON.stringify({ mkt: 1, provider: slug, ...manifest }));
  }
  const temporary = join(folder, "tmp");
  mkdirSync(temporary, { recursive: true });
  const places = {
    HOME: folder,
    TMPDIR: temporary,
    MKT_DATA_DIR: join(folder, "data"),
    MKT_CONFIG_DIR: join(folder, "config"),
  };
  const settings = { MKT_LOG_LEVEL: "error", MKT_STARTING_CREDIT: "1000000" };
  const words = ["daemon", "--port", "0", "--registry-port", "0", "--trusted-catalog", catalog];
  if (!bundled) words.push("--no-bundled-catalog");
  const begin = performance.now();
  const child = spawn(process.execPath, [...nodeWords, program, ...words, "--allow-private-host", "127.0.0.1"], {
    env: { PATH: process.env.PATH, ...places, ...settings, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.add(child);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  void ended.then(() => running.delete(child));
  const line = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("exit", (code) => reject(new Error(`the daemon ended with ${code} before it was ready; was it built?`)));
  });
  return {
    ...JSON.parse(line),
    pid: child.pid,
    readyMs: performance.now() - begin,
    key: keyIn(join(folder, "config", "local")),
    /** Resident memory in bytes; undefined where the system does not tell. */
    memory() {
      try {
        const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
        return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1_024;
      } catch {
        return undefined;
      }
    },
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      await ended;
    },
  };
}

/** The owner's key, out of the one file by which the CLI would find the daemon. */
function keyIn(folder) {
  const [name] = readdirSync(folder);
  return JSON.parse(readFileSync(join(folder, name), "utf8")).key;
}
