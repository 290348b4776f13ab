// The whole market in one command: a daemon of its own on free ports, and the real CLI against it.
// Says what it does while it does it; leaves nothing behind. The output stays within 60 lines.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const mkt = fileURLToPath(new URL("../dist/mkt.js", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "mkt-demo-"));
const environment = {
  ...process.env,
  MKT_DATA_DIR: join(home, "data"),
  MKT_CONFIG_DIR: join(home, "config"),
  MKT_NO_AUTOSTART: "1",
  MKT_LOG_LEVEL: "warn",
};
for (const name of Object.keys(environment)) {
  if (/^MKT_(API|WORKSPACE|PROFILE|HOST|PORT|REGISTRY|CATALOG|TRUSTED|STARTING)/.test(name)) delete environment[name];
}

const say = (text) => process.stdout.write(`${text}\n`);

function startDaemon() {
  const daemon = spawn(process.execPath, [mkt, "daemon", "--port", "0", "--registry-port", "0"], {
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ready = new Promise((resolve, reject) => {
    createInterface({ input: daemon.stdout }).once("line", (line) => resolve(JSON.parse(line)));
    daemon.once("exit", (code) => reject(new Error(`the daemon ended with ${code} before it was ready`)));
  });
  return { daemon, ready };
}

/** Runs one command as a person would type it and shows what it prints; resolves with its stdout. */
async function type(command, { show, args = command.split(" ").slice(1) } = {}) {
  say(`\n$ ${command}`);
  const child = spawn(process.execPath, [mkt, ...args], { env: environment, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${stderr.trim()}`);
  for (const line of show === undefined ? stdout.trim().split("\n") : show(stdout)) say(`  ${line}`);
  return stdout;
}

const json = (text) => JSON.parse(text);
const dollars = (cost) => `$${cost.value / 1_000_000}`;
const shorten = (text, length = 100) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

async function demo() {
  say("mkt demo: starting a daemon with a data and a configuration folder of its own");
  const { daemon, ready } = startDaemon();
  try {
    const { url, endpoints, startupMs } = await ready;
    say(`  ready at ${url} with ${endpoints} endpoints after ${Math.round(startupMs)} ms`);

    await type('mkt discover "when does the sun rise" --json', {
      args: ["discover", "when does the sun rise", "--limit", "3", "--json"],
      show: (out) =>
        json(out).results.map(
          (r) =>
            `${r.score.toFixed(2)}  ${r.provider}${r.endpoint}  $${r.price.amount.value}  ${shorten(r.description, 60)}`,
        ),
    });
    await type("mkt inspect atlas/sun --json", {
      show: (out) => {
        const found = json(out);
        return [
          shorten(found.description),
          `price ${found.price.type} $${found.price.amount.value}; takes ${Object.keys(found.input.queryParams?.properties ?? {}).join(", ")}`,
        ];
      },
    });
    await type("mkt run atlas/sun latitude=38.72 longitude=-9.14 --json", {
      show: (out) => {
        const run = json(out);
        return [
          `run ${run.runId} ${run.status}, provider answered ${run.providerResponse.httpStatus}`,
          `data: ${shorten(JSON.stringify(run.output), 150)}`,
          `charged ${dollars(run.billing.reportedCost)}`,
        ];
      },
    });
    const started = await type("mkt run atlas/reports/time-zones --no-wait --json", {
      show: (out) => [`run ${json(out).runId} ${json(out).status}: it goes on in the background`],
    });
    const { runId } = json(started);
    await type(`mkt get-run ${runId} --wait --json`, {
      show: (out) => {
        const run = json(out);
        return [
          `${run.status} after ${Date.parse(run.completedAt) - Date.parse(run.createdAt)} ms with ${run.resultCount} results`,
          `data: ${shorten(JSON.stringify(run.output), 150)}`,
          `charged ${dollars(run.billing.reportedCost)}`,
        ];
      },
    });
    await type("mkt runs --json", {
      show: (out) =>
        json(out).items.map((r) => `${r.createdAt}  ${r.status}  ${r.provider}${r.endpoint}  $${r.cost?.value ?? 0}`),
    });
    await type("mkt wallet --json", {
      show: (out) => [`balance $${json(out).balance.value}, held $${json(out).held.value}`],
    });

    say("\nWhat to type next, on a daemon of your own that stays:");
    say("  node dist/mkt.js daemon start");
    say('  node dist/mkt.js discover "distance between two places"');
  } finally {
    say("\nmkt demo: stopping the daemon");
    const gone = new Promise((resolve) => daemon.once("exit", resolve));
    if (daemon.exitCode === null) {
      daemon.kill("SIGTERM");
      await gone;
    }
    rmSync(home, { recursive: true, force: true });
  }
  say(`mkt demo: done (the daemon ended with ${daemon.exitCode})`);
  if (daemon.exitCode !== 0) process.exitCode = 1;
}

demo().catch((error) => {
  process.stderr.write(`mkt demo: ${error.message}\n`);
  process.exitCode = 1;
});
