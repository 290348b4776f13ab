import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { mktHome } from "../../support/mkt-home.ts";
import { mktProgram } from "../../support/spawn-mkt.ts";
import { type Row, table } from "./table.ts";

const asking = table.filter((row) => row.local !== true);

describe.concurrent.each(asking)("mkt $command", (row) => {
  test("ends at Ctrl-C while a service keeps it waiting, with nothing on stdout and the exit code of an interruption", async () => {
    await using service = await openSilentService();

    const { code, signal, stdout } = await interrupt(row, service);

    // Without a run to speak of Ctrl-C is left to the operating system: a shell gives 130 for either.
    expect(signal ?? code).toBeOneOf(["SIGINT", 130]);
    expect(stdout).toBe("");
  });
});

interface SilentService extends AsyncDisposable {
  readonly url: string;
  /** Resolves when somebody has asked. */
  readonly asked: Promise<unknown>;
}

/** Takes every request and answers none. */
async function openSilentService(): Promise<SilentService> {
  const server = createServer();
  const asked = once(server, "request");
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function interrupt({ cells }: Row, service: SilentService) {
  using home = mktHome();
  const words = (cells.ok?.[0] ?? "").replaceAll(/\{\w+\}/g, "01NAME").split(" ");
  const child = spawn(process.execPath, [mktProgram, ...words], {
    env: { ...home.environment, MKT_API_URL: service.url, MKT_API_KEY: "mkt_live_nobody" },
    cwd: home.path,
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.end("s3cret\n");
  const stdout: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  const ended = once(child, "close");
  await Promise.race([service.asked, ended]);
  child.kill("SIGINT");
  const [code, signal] = await ended;
  return { code, signal, stdout: Buffer.concat(stdout).toString() };
}
