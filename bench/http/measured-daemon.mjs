import { readFileSync } from "node:fs";
import { startDaemon } from "../built-daemon.mjs";
import { ANSWERS } from "./nginx-provider.mjs";

/** How long a job is left alone before it is asked about, in ms. */
export const POLL_MS = 100;
/** Clock ticks per second in `/proc`, the same on every Linux. */
const TICKS = 100;

const price = { type: "PER_CALL", amount: 0.001 };

/** A manifest that sells each answer of the provider: repeatable, not repeatable, and as a job. */
export function manifestOf(baseUrl) {
  const endpoints = {};
  for (const size of Object.keys(ANSWERS)) {
    const path = `/${size}`;
    endpoints[`/get/${size}`] = { idempotent: true, request: { method: "GET", path }, price };
    endpoints[`/post/${size}`] = { request: { method: "POST", path }, price };
    endpoints[`/job/${size}`] = { request: { method: "POST", path: "/jobs" }, price, async: jobOf(path) };
  }
  return {
    http: {
      baseUrl,
      allowPrivateNetwork: true,
      rateLimit: { requests: 1_000_000, perMs: 1_000, concurrency: 512 },
    },
    endpoints,
  };
}

function jobOf(path) {
  return {
    start: { id: "$.id" },
    poll: {
      method: "GET",
      path,
      everyMs: POLL_MS,
      status: "$.status",
      states: { running: ["working"], done: ["done"], failed: ["failed"] },
    },
    runMs: 60_000,
  };
}

/** The built daemon with that manifest; `profiles` names a folder for a profile of its processor time, `environment` has further variables. */
export async function startMeasured(folder, baseUrl, { profiles, environment } = {}) {
  const nodeWords = profiles === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profiles}`];
  const daemon = await startDaemon(
    folder,
    { instant: manifestOf(baseUrl) },
    { bundled: false, nodeWords, environment },
  );
  return {
    ...daemon,
    /** Seconds of processor time that it has used, user and system; undefined where the system does not tell. */
    processorSeconds() {
      try {
        const fields = readFileSync(`/proc/${daemon.pid}/stat`, "utf8").split(") ")[1].split(" ");
        return (Number(fields[11]) + Number(fields[12])) / TICKS;
      } catch {
        return undefined;
      }
    },
  };
}
