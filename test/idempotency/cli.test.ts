import { describe, expect, test } from "vitest";
import { anAcceptedRun, aRun, startStandIn, type StandInRoutes } from "../cli/stand-in-service.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { lastLine, runMkt } from "../support/run-cli.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { weatherManifest } from "../support/weather-manifest.ts";

const usd = (value: number) => ({ value, currency: "USD" });
const key = { label: "ci", scopes: ["*"], status: "ACTIVE", createdAt: "2026-01-01T00:00:00.000Z" };
const wallet = { workspaceId: "w1", balance: usd(10), held: usd(0) };
const routes: StandInRoutes = {
  "POST /v1/run": { body: aRun() },
  "GET /v1/auth/whoami": { body: { user: { userId: "u1" }, workspace: { workspaceId: "w1", slug: "default" } } },
  "GET /v1/admin/workspaces": { body: { items: [{ workspaceId: "w2", name: "Research", slug: "research" }] } },
  "POST /v1/api-keys": { status: 201, body: { ...key, key: "mkt_live_a" } },
  "POST /v1/admin/workspaces/w1/api-keys": { status: 201, body: { ...key, key: "mkt_live_b" } },
  "POST /v1/admin/workspaces": { status: 201, body: { workspaceId: "w3", name: "New", slug: "new" } },
  "POST /v1/admin/users": { status: 201, body: { userId: "u2", username: "ada", workspaceId: "w2" } },
  "POST /v1/admin/workspaces/w1/credits": { status: 201, body: wallet },
  "POST /v1/admin/workspaces/w1/debits": { status: 201, body: wallet },
};

describe("mkt sends an Idempotency-Key of its own with", () => {
  test.each([
    ["run atlas/sun"],
    ["keys create --label ci"],
    ["keys create --label ci --workspace research"],
    ["workspaces create New"],
    ["users add ada --workspace research"],
    ["wallet credit 1 --workspace research"],
    ["wallet debit 1 --workspace research"],
  ])("%s, a new one each time", async (words) => {
    await using service = await startStandIn(routes);

    const codes = [await runMkt(words.split(" "), service), await runMkt(words.split(" "), service)];

    const keys = service.requests
      .filter(({ method }) => method === "POST")
      .map(({ headers }) => headers["idempotency-key"]);
    expect(codes.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(keys).toEqual([expect.stringMatching(/^[0-9A-Z]{26}$/), expect.stringMatching(/^[0-9A-Z]{26}$/)]);
    expect(new Set(keys).size).toBe(2);
  });
});

describe("mkt run --idempotency-key", () => {
  test("sends the key that it is given", async () => {
    await using service = await startStandIn(routes);

    await runMkt(["run", "atlas/sun", "--idempotency-key", "order-4711"], service);

    expect(service.requests.at(-1)?.headers["idempotency-key"]).toBe("order-4711");
  });

  test.each([[""], ["order 1"], ["k".repeat(256)], ["caf\u00e9"], ["a\nb"]])(
    "refuses %j, without running anything",
    async (value) => {
      await using service = await startStandIn(routes);

      const { exitCode, stderr } = await runMkt(["run", "atlas/sun", "--idempotency-key", value], service);

      expect(exitCode).toBe(2);
      expect(stderr).toContain("255 visible ASCII characters");
      expect(service.requests).toEqual([]);
    },
  );

  test("waits for the run of an earlier call that is still under way", async () => {
    let asked = 0;
    await using service = await startStandIn({
      "POST /v1/run": { status: 409, body: { code: 409, message: "no answer yet", runId: "01RUN" } },
      "GET /v1/runs/01RUN": () => ({ body: asked++ === 0 ? anAcceptedRun() : aRun() }),
    });

    const { exitCode, stdout } = await runMkt(["run", "atlas/sun", "--idempotency-key", "k"], service);

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual(aRun());
    expect(service.requests.filter(({ path }) => path === "/v1/run")).toHaveLength(1);
  });

  test("is what the message names when the call is cut off", async () => {
    await using service = await startStandIn({
      "POST /v1/run": (_request, response) => {
        response.destroy();
        return Promise.resolve(undefined);
      },
    });

    const { exitCode, stderr } = await runMkt(["run", "atlas/sun", "--json"], service);

    const sent = service.requests.at(-1)?.headers["idempotency-key"];
    expect(exitCode).toBe(9);
    expect(JSON.parse(lastLine(stderr)).message).toContain(`--idempotency-key ${sent}`);
  });

  test("is what the message names when no answer comes in time", async () => {
    await using service = await startStandIn({ "POST /v1/run": () => Promise.resolve(undefined) });

    const { exitCode, stderr } = await runMkt(["run", "atlas/sun", "--wait-seconds", "0"], service);

    expect(exitCode).toBe(6);
    expect(stderr).toMatch(/the run may continue\. .* use --idempotency-key [0-9A-Z]{26}/);
  });

  test("makes one run out of two calls of a real service", async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /now", { json: { temperature: 21 } }, { json: { temperature: 22 } });
    await using daemon = await startTestDaemon({ manifests: { weather: weatherManifest(provider.url) } });
    const env = { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key };
    const run = async () => await runMkt(["run", "weather/now", "city=Lisbon", "--idempotency-key", "k"], { env });

    const first = await run();
    const second = await run();
    const other = await runMkt(["run", "weather/now", "city=Porto", "--idempotency-key", "k"], { env });

    expect([first.exitCode, second.exitCode, other.exitCode]).toEqual([0, 0, 5]);
    expect(second.stdout).toBe(first.stdout);
    expect(first.stderr).not.toContain("made before");
    expect(second.stderr).toContain("This run was made earlier with the same key: nothing was run again.\n");
    expect(other.stderr).toContain("used for another request");
    expect(provider.count("GET /now")).toBe(1);
  });
});
