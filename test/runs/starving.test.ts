import { expect, test } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { mktHome } from "../support/mkt-home.ts";
import { type Ask, askWith } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { scriptReport, weatherManifest } from "../support/weather-manifest.ts";

const WIDTH = 8;

/** The weather provider, with so many places for all of its endpoints. */
function manifestsOf(upstream: string) {
  const manifest = weatherManifest(upstream) as { http: object };
  const rateLimit = { requests: 1_000, perMs: 1, concurrency: WIDTH };
  return { nimbus: { ...manifest, http: { ...manifest.http, rateLimit } } };
}

const report = { provider: "nimbus", endpoint: "/report", input: { topic: "rain", limit: 1 } };
const plain = { provider: "nimbus", endpoint: "/plain" };

async function keyOfOther(daemon: TestDaemon): Promise<string> {
  await daemon.request("POST", "/v1/admin/workspaces", { name: "Other", slug: "other" });
  await daemon.request("POST", "/v1/admin/workspaces/other/credits", {
    amount: { value: 10, currency: "USD" },
    reason: "a start",
  });
  return (await daemon.request("POST", "/v1/admin/workspaces/other/api-keys", { label: "first" })).body.key;
}

async function startJobs(ask: Ask, count: number): Promise<void> {
  const answers = await Promise.all(Array.from({ length: count }, async () => await ask("POST", "/v1/run", report)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: count }, () => 202));
}

test("long jobs of one workspace keep no other workspace from the provider, also after a restart", async () => {
  await using upstream = await startFakeProvider();
  scriptReport(upstream, { polls: 1_000_000 });
  using home = mktHome();
  const manifests = manifestsOf(upstream.url);
  let other = "";
  {
    await using daemon = await startTestDaemon({ home, manifests });
    other = await keyOfOther(daemon);
    await startJobs(daemon.request, 3 * WIDTH);

    const run = await askWith(daemon.url, other)("POST", "/v1/run", { ...plain, deadlineMs: 5_000 });

    expect(run.body).toMatchObject({ status: "COMPLETED" });
    const atWork = await daemon.request("GET", "/v1/runs?status=RUNNING&limit=100");
    expect(atWork.body.items).toHaveLength(WIDTH - 1);
  }
  await using daemon = await startTestDaemon({ home, manifests });

  const run = await askWith(daemon.url, other)("POST", "/v1/run", { ...plain, deadlineMs: 5_000 });

  expect(run.body).toMatchObject({ status: "COMPLETED" });
});
