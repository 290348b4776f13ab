import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { parseDaemonConfig } from "../../daemon/config/daemon-config.ts";
import { runDaemon } from "../../daemon/run-daemon.ts";
import { readLocalDaemonFile } from "../../shared/local-daemon-file.ts";
import { bundledCatalogDir } from "../support/bundled-catalog.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { request } from "../support/request.ts";
import { TextSink } from "../support/run-cli.ts";
import { untilCalled, weatherManifest } from "../support/weather-manifest.ts";

const notice = "mkt daemon: waiting up to 6 s for runs in flight; Ctrl-C again ends it\n";

test.each([
  ["a terminal is told what goes on", true, 1],
  ["a log is not", false, 0],
])("a daemon that waits for a run at Ctrl-C: %s", async (_what, isTTY, times) => {
  using home = mktHome();
  await using provider = await startFakeProvider();
  provider.on("GET /now", { json: {}, delayMs: 1_500 });
  await using daemon = await startInForeground(home, provider.url, isTTY);
  const running = request(`${daemon.url}/v1/run`, "POST", {
    key: daemon.key,
    body: { provider: "weather", endpoint: "/now", input: { city: "Lisbon" } },
  });
  await untilCalled(provider, "GET /now");

  daemon.pressCtrlC();
  const { status } = await running;

  expect(await daemon.ended).toBe(0);
  expect(status).toBe(200);
  expect(daemon.stderr.text.split(notice)).toHaveLength(times + 1);
});

/** `mkt daemon` in this process, with streams of its own and a Ctrl-C that reaches it alone. */
async function startInForeground(home: MktHome, baseUrl: string, isTTY: boolean) {
  const trusted = home.writeCatalog("trusted", { weather: weatherManifest(baseUrl) });
  const config = parseDaemonConfig(
    {
      port: "0",
      registryPort: "0",
      bundledCatalog: false,
      trustedCatalog: [trusted],
      allowPrivateHost: ["127.0.0.1"],
      logLevel: "silent",
    },
    { environment: home.environment, bundledCatalogDir, version: "0.1.0" },
  );
  const before = { SIGINT: process.listeners("SIGINT"), SIGTERM: process.listeners("SIGTERM") };
  const added = (signal: "SIGINT" | "SIGTERM") =>
    process.listeners(signal).filter((listener) => !before[signal].includes(listener));
  const stdout = new PassThrough();
  const stderr = Object.assign(new TextSink(), { isTTY });
  const endProcess = (code: number) => {
    throw new Error(`the process was ended with ${code}`);
  };
  const ended = runDaemon(config, { stdout, stderr, startedAtMs: Date.now(), endProcess });
  await new Promise((resolve) => stdout.once("data", resolve));
  const file = await readLocalDaemonFile(home.configDir, home.dataDir);
  return {
    url: file?.url ?? "",
    key: file?.key ?? "",
    stderr,
    ended,
    pressCtrlC() {
      for (const listener of added("SIGINT")) listener("SIGINT");
    },
    async [Symbol.asyncDispose]() {
      await ended;
      for (const signal of ["SIGINT", "SIGTERM"] as const) {
        for (const listener of added(signal)) process.off(signal, listener);
      }
    },
  };
}
