import { afterEach, expect, test, vi } from "vitest";
import { StoreState } from "../../daemon/storage/store-state.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { startTestDaemon } from "../support/start-daemon.ts";

afterEach(() => void vi.restoreAllMocks());

/** Whoever changed such a record would get an error, and the run would fail. */
function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const member of Object.values(value)) freeze(member);
}

function freezeAcceptedRecords(): void {
  const { take } = StoreState.prototype;
  vi.spyOn(StoreState.prototype, "take").mockImplementation(function (this: StoreState, ...given) {
    const line = take.apply(this, given);
    if (line.t === "run.accepted") freeze(line.rec);
    return line;
  });
}

const price = { type: "PER_CALL", amount: 0.01 };
const search = {
  description: "Finds things.",
  request: { method: "POST", path: "/search", body: { fixed: { deep: [1] } } },
  input: {
    body: { type: "object", properties: { filter: { type: "object" }, size: { type: "integer", default: 3 } } },
  },
  price,
};
const job = {
  description: "Makes a report.",
  request: { method: "POST", path: "/jobs" },
  price,
  async: {
    start: { id: "$.id" },
    poll: {
      method: "GET",
      path: "/jobs/${run.externalId}",
      everyMs: 20,
      status: "$.status",
      states: { running: ["working"], done: ["done"] },
    },
  },
};

test("nothing changes the record of an accepted run, which the store shares with whoever works on the run", async () => {
  freezeAcceptedRecords();
  await using provider = await startFakeProvider();
  provider.on("POST /search", { json: { found: [1, 2] } });
  provider.on("POST /jobs", { status: 202, json: { id: "job-1" } });
  provider.on("GET /jobs/*", { json: { status: "working" } });
  const things = {
    http: { baseUrl: provider.url, allowPrivateNetwork: true },
    endpoints: { "/search": search, "/report": job },
  };
  await using market = await startTestDaemon({ manifests: { things } });
  const input = { body: { filter: { name: "a" } } };

  const found = await market.client.startRun({
    body: { provider: "things", endpoint: "/search", input, tags: { a: "b" } },
  });
  const { runId } = await market.client.startRun({ body: { provider: "things", endpoint: "/report" } });
  await expect
    .poll(async () => (await market.client.getRun({ params: { runId } })).status, { timeout: 15_000 })
    .toBe("RUNNING");
  await expect.poll(() => provider.count("GET /jobs/*") > 0, { timeout: 15_000 }).toBe(true);
  provider.on("GET /jobs/*", { json: { status: "done", pages: 7 } });

  expect(found).toMatchObject({ status: "COMPLETED", output: { found: [1, 2] } });
  await expect
    .poll(async () => await market.client.getRun({ params: { runId } }), { timeout: 15_000 })
    .toMatchObject({ status: "COMPLETED", output: { pages: 7 } });
});
