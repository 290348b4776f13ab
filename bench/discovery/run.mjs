/*
 * What discovery finds, how fast, and when it says that nothing fits; beside other engines on the same documents and
 * queries: `npm run bench:discovery` in the project. README.md of the folder above has its options.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startDaemon } from "../built-daemon.mjs";
import { bundle, importBundled } from "../bundle.mjs";

const { bench } = await importBundled("discovery/bench");
const programs = new Map();
try {
  await bench(process.argv.slice(2), {
    projectDir: fileURLToPath(new URL("../..", import.meta.url)),
    measure: (without) => programs.get(without) ?? bundleOnce(without),
    serve,
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function bundleOnce(without) {
  const program = bundle("discovery/measure", { without });
  programs.set(without, program);
  return program;
}

async function serve(manifests) {
  const folder = mkdtempSync(join(tmpdir(), "mkt-bench-"));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  try {
    const daemon = await startDaemon(folder, Object.fromEntries(manifests), { bundled: false });
    return { ...daemon, stop: () => daemon.stop().finally(removeFolder) };
  } catch (error) {
    removeFolder();
    throw error;
  }
}
