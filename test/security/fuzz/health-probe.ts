import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface HealthFigures {
  readonly asked: number;
  readonly failures: readonly string[];
  readonly p50: number;
  readonly p99: number;
  readonly slowest: number;
  /** How long the asking process was itself kept waiting by the machine. */
  readonly late: { readonly p99: number };
}

const script = fileURLToPath(new URL("../../../bench/load/health-probe.mjs", import.meta.url));

/** Asks `/health` every 20 ms out of another process, whose own work delays nothing, until it is told to stop. */
export function probeHealth(url: string): { stop(): Promise<HealthFigures> } {
  const child = spawn(process.execPath, [script, url, "20"], { stdio: ["pipe", "pipe", "inherit"] });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  const closed = once(child, "close");
  return {
    async stop() {
      child.stdin.end();
      await closed;
      return JSON.parse(Buffer.concat(chunks).toString()) as HealthFigures;
    },
  };
}
