import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { rawHead } from "../support/raw-request.ts";
import { request } from "../support/request.ts";
import { spawnDaemon } from "../support/spawn-mkt.ts";

const HANG_MS = 120_000;
const ATTACK_MS = 3_000;
/** What six connections that held one answer each would take is a few MB; the rest is what a collection leaves for later. */
const MAX_GROWTH_MB = 150;
const isLinux = process.platform === "linux";

function rssMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;
}

/** Sends the same request again and again and reads nothing; begins anew when it is closed. Returns what ends it. */
function pipelineWithoutReading(url: string, path: string): () => void {
  const { port, host } = new URL(url);
  const requests = rawHead(`GET ${path} HTTP/1.1`, `Host: ${host}`).repeat(1_000);
  let isOver = false;
  let end: () => void = () => {};
  const begin = () => {
    if (isOver) return;
    const socket = connect(Number(port), "127.0.0.1").pause();
    end = () => void socket.destroy();
    const send = () => {
      while (!socket.destroyed && socket.write(requests));
    };
    socket
      .on("connect", send)
      .on("drain", send)
      .on("error", () => {});
    socket.on("close", () => setTimeout(begin, 50));
  };
  begin();
  return () => {
    isOver = true;
    end();
  };
}

test.skipIf(!isLinux).each([
  ["service", "/openapi.json"],
  ["service", "/llms.txt"],
  ["service", "/nothing"],
  ["registry", "/public/v1/categories"],
] as const)(
  "six connections to the %s that ask for %s over and over and read nothing cost no memory",
  async (port, path) => {
    await using daemon = await spawnDaemon({ args: ["--log-level", "error"] });
    const attacked = port === "service" ? daemon.url : daemon.registryUrl;
    // Everything that is made once is there before.
    await request(`${attacked}${path}`);
    const before = rssMb(daemon.pid);

    const attackers = Array.from({ length: 6 }, () => pipelineWithoutReading(attacked, path));
    let most = before;
    const healths: number[] = [];
    for (const endsAt = Date.now() + ATTACK_MS; Date.now() < endsAt;) {
      healths.push((await daemon.request("GET", "/health")).status);
      most = Math.max(most, rssMb(daemon.pid));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    for (const end of attackers) end();
    const other = `${port === "service" ? daemon.registryUrl : daemon.url}/public/v1/categories`;
    // For as long as the flood keeps it late, a daemon sheds what has no key.
    await expect.poll(async () => (await request(other)).status, { timeout: 20_000, interval: 200 }).toBe(200);

    expect(most - before, `${Math.round(before)} MB before, ${Math.round(most)} MB at most`).toBeLessThan(
      MAX_GROWTH_MB,
    );
    expect(new Set(healths)).toEqual(new Set([200]));
  },
  HANG_MS,
);
