import { describe, expect, test } from "vitest";
import { mktHome } from "../support/mkt-home.ts";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { anAcceptedRun, startStandIn, type StandInRoutes } from "./stand-in-service.ts";

const money = (value: number) => ({ value, currency: "USD" });
const routes: StandInRoutes = {
  "GET /health": { body: { status: "ok", version: "0.1.0", uptimeMs: 1, storage: "ok" } },
  "GET /v1/auth/whoami": {
    body: { user: { userId: "u1", username: "ada" }, workspace: { workspaceId: "w1", slug: "home" } },
  },
  "GET /v1/wallet/balance": { body: { balance: money(0), held: money(0.5) } },
  "GET /v1/runs": { body: { items: [anAcceptedRun()] } },
};

describe("mkt alone", () => {
  test("with no daemon says so and how to start one, and starts none", async () => {
    using home = mktHome();
    const env = { MKT_DATA_DIR: home.dataDir, MKT_CONFIG_DIR: home.configDir, MKT_NO_AUTOSTART: "0" };

    const { exitCode, stdout } = await runMkt([], { env, tty: true });
    const status = await runMkt(["daemon", "status", "--json"], { env });

    expect(exitCode).toBe(0);
    // A long path stands in the next line.
    expect(stdout.replace(/\s+/g, " ")).toContain(`no daemon is running for ${home.dataDir}`);
    expect(stdout).toContain("mkt daemon start");
    expect(JSON.parse(status.stdout)).toMatchObject({ running: false });
  });

  test("with a daemon shows where it is, who you are, what there is to spend, and what to try", async () => {
    using home = mktHome();
    await using daemon = await startTestDaemon({ home });
    const env = { MKT_DATA_DIR: home.dataDir, MKT_CONFIG_DIR: home.configDir };

    const { stdout } = await runMkt([], { env, tty: true });
    const { stdout: json, stderr } = await runMkt(["--json"], { env });

    for (const shown of [daemon.url, "mkt 0.1.0, ok", "owner", "default", "$10", "mkt run atlas/sun", "mkt --help"]) {
      expect(stdout).toContain(shown);
    }
    expect(stderr).toBe("");
    expect(JSON.parse(json)).toMatchObject({
      version: "0.1.0",
      profile: "local",
      address: { url: daemon.url, from: "the local daemon" },
      service: { status: "ok", version: "0.1.0" },
      caller: { user: { username: "owner" }, workspace: { slug: "default" } },
      wallet: { balance: money(10) },
      runs: [],
      problem: null,
    });
  });

  test("says what to do about an empty wallet and a run under way", async () => {
    await using service = await startStandIn(routes);

    const { stdout } = await runMkt(["--json"], service);

    expect(JSON.parse(stdout).next.map(({ command }: { command: string }) => command)).toEqual([
      "mkt wallet credit 10",
      "mkt get-run 01RUN --wait",
      "mkt discover sunrise and sunset",
      "mkt --help",
    ]);
  });

  test("with a key that is refused shows the service, and what mends it", async () => {
    using home = mktHome();
    await using daemon = await startTestDaemon({ home });

    const { exitCode, stdout } = await runMkt(["--json"], {
      env: { MKT_API_URL: daemon.url, MKT_API_KEY: "mkt_live_nobody" },
    });

    const shown = JSON.parse(stdout);
    expect(exitCode).toBe(0);
    expect(shown).toMatchObject({ service: { status: "ok" }, caller: null, wallet: null, problem: { code: 401 } });
    expect(shown.next[0].command).toMatch(/^mkt whoami/);
  });

  test("does not wait for a service that does not answer", async () => {
    await using service = await startStandIn({ ...routes, "GET /v1/wallet/balance": () => undefined as never });

    const { exitCode, stdout } = await runMkt(["--json"], service);

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      caller: { user: { username: "ada" } },
      wallet: null,
      problem: { code: 0 },
    });
  });

  test("takes no words", async () => {
    const { exitCode, stderr } = await runMkt(["discovr"]);

    expect(exitCode).toBe(2);
    expect(stderr).toContain("unknown command 'discovr'. Did you mean discover?");
  });
});
