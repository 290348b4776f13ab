import { expect, test } from "vitest";
import { damageRun } from "../support/damage-run.ts";
import { runMkt } from "../support/run-cli.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { mktHome } from "../support/mkt-home.ts";
import { startTestDaemon } from "../support/start-daemon.ts";

const RUNS = 5;
/** The third that was made: neither the first line of the export nor the last. */
const DAMAGED = 2;

test("a run whose record is damaged has its place in an export, marked, and the others are all there", async () => {
  using home = mktHome();
  await using upstream = await startFakeProvider();
  upstream.on("GET /now", { json: { answer: 42 } });
  const shop = {
    http: { baseUrl: upstream.url, allowPrivateNetwork: true },
    endpoints: { "/now": { request: { method: "GET", path: "/now" }, price: { type: "PER_CALL", amount: 0.01 } } },
  };
  const runIds: string[] = [];
  {
    await using daemon = await startTestDaemon({ home, manifests: { shop } });
    for (let run = 0; run < RUNS; run += 1) {
      const { body } = await daemon.request("POST", "/v1/run", {
        provider: "shop",
        endpoint: "/now",
        tags: { 'a"': "\n,true\r\n" },
      });
      runIds.push(body.runId as string);
    }
  }
  damageRun(home, runIds[DAMAGED] ?? "");

  await using daemon = await startTestDaemon({ home, manifests: { shop } });
  const service = { env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key } };
  const [json, csv] = [
    await runMkt(["runs", "export", "--format", "ndjson"], service),
    await runMkt(["runs", "export", "--format", "csv"], service),
  ];
  const well = await runMkt(["runs", "export", "--format", "csv", "--tag", "nobody:has"], service);

  const lines = json.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { runId: string; damaged?: true });
  expect(lines.map(({ runId }) => runId)).toEqual(runIds.toReversed());
  expect(lines.map((line) => line.damaged === true)).toEqual([false, false, true, false, false]);
  expect(lines[RUNS - 1 - DAMAGED]).toMatchObject({
    damaged: true,
    status: "COMPLETED",
    provider: "shop",
    endpoint: "/now",
    charged: "0.01",
    error: { message: expect.stringContaining("damaged") },
  });
  expect(JSON.stringify(lines)).not.toContain(".ndjson");
  for (const runId of runIds) expect(csv.stdout).toContain(`\n${runId},COMPLETED,shop,/now,owner,`);
  expect(csv.stdout.split("\r\n").filter((row) => row.endsWith("log names the place,,,true"))).toHaveLength(1);
  for (const { exitCode, stderr } of [json, csv]) {
    expect(stderr).toContain("1 run of it is damaged");
    expect(exitCode).toBe(1);
  }
  expect(well).toMatchObject({ exitCode: 0 });
});
