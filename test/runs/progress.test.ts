import { describe, expect, test } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon } from "../support/start-daemon.ts";

/** A job that has done so much and goes on, as two endpoints tell it: one says that it is pages, one says nothing. */
function crawler(baseUrl: string, progressUnit: string | undefined): object {
  return {
    http: { baseUrl, allowPrivateNetwork: true },
    endpoints: {
      "/crawl": {
        description: "Reads all pages of a site.",
        request: { method: "POST", path: "/crawl" },
        price: { type: "PER_CALL", amount: 0.01 },
        async: {
          start: { id: "$.id" },
          poll: {
            method: "GET",
            path: "/crawl/${run.externalId}",
            everyMs: 20,
            status: "$.status",
            states: { running: ["working"], done: ["done"] },
            progress: "$.completed",
            ...(progressUnit !== undefined && { progressUnit }),
          },
        },
      },
    },
  };
}

describe("how far a run is", () => {
  test.each([
    ["percent", 37, "37 %"],
    ["fraction", 0.37, "37 %"],
    ["pages", 37, "37 pages"],
    [undefined, 37, "at 37"],
  ])("is told as the provider's file says (%s)", async (unit, completed, shown) => {
    await using provider = await startFakeProvider();
    provider.on("POST /crawl", { status: 202, json: { id: "job-1" } });
    provider.on("GET /crawl/*", { json: { status: "working", completed } });
    await using market = await startTestDaemon({ manifests: { crawler: crawler(provider.url, unit) } });
    const { runId } = await market.client.startRun({ body: { provider: "crawler", endpoint: "/crawl", input: {} } });

    await expect
      .poll(async () => (await market.client.getRun({ params: { runId } })).progress, { timeout: 10_000 })
      .toBe(completed);

    const run = await market.client.getRun({ params: { runId } });
    expect(run.progressUnit).toBe(unit);
    const { stdout } = await runMkt(["get-run", runId], {
      tty: true,
      env: { MKT_API_URL: market.url, MKT_API_KEY: market.key },
    });
    expect(stdout).toMatch(new RegExp(`progress +${shown}\\n`));
  });
});
