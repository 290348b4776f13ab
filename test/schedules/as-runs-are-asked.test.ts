import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { memberEndpoints, type ServedRoutes, serveRoutes } from "../runs/routes/serve-route.ts";

/** docs/schedules.md, "What it may spend": a schedule takes what a run takes. */

const CRON = "0 7 * * *";
let served: ServedRoutes;

beforeAll(async () => {
  const [[path, endpoint]] = Object.entries(memberEndpoints(["now-kept"], 0.03)) as [[string, object]];
  const kept = { ...endpoint, idempotent: true, reuse: { maxAgeSeconds: 3_600 } };
  served = await serveRoutes({
    names: ["now-breaks"],
    files: { first: { endpoints: { ...memberEndpoints(["now-breaks"], 0.01), [path]: kept } } },
  });
  served.first.on("POST /now-breaks", { status: 503, json: { error: "in the middle of it" } });
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
});

const make = async (more: object) =>
  await served.daemon.request("POST", "/v1/schedules", { cron: CRON, input: { q: "x" }, ...more });
const runNow = async (scheduleId: string) =>
  (await served.daemon.request("POST", `/v1/schedules/${scheduleId}/run`)).body;

describe("a schedule", () => {
  test("goes on after an uncertain end of a route's member only where that is allowed", async () => {
    const route = { provider: "routes", endpoint: "/now-breaks" };
    const plain = await make(route);
    const allowed = await make({ ...route, allowUncertainRepeats: true });
    const { scheduleId } = allowed.body;

    const [stayed, went] = [await runNow(plain.body.scheduleId), await runNow(scheduleId)];
    await served.daemon.request("PATCH", `/v1/schedules/${scheduleId}`, { allowUncertainRepeats: false });
    const then = await runNow(scheduleId);

    expect(allowed.body).toMatchObject({ allowUncertainRepeats: true });
    expect(stayed).toMatchObject({ provider: "first", providerResponse: { httpStatus: 503 } });
    expect(went).toMatchObject({ provider: "second", status: "COMPLETED", providerMayHaveCharged: true });
    expect(then).toMatchObject({ provider: "first", providerResponse: { httpStatus: 503 } });
  });

  test("takes the answer of an earlier run where it says how old that may be", async () => {
    const endpoint = { provider: "first", endpoint: "/now-kept" };
    const earlier = await served.daemon.request("POST", "/v1/run", { ...endpoint, input: { q: "x" } });
    const { body } = await make({ ...endpoint, maxAge: 3_600 });

    const run = await runNow(body.scheduleId);
    await served.daemon.request("PATCH", `/v1/schedules/${body.scheduleId}`, { maxAge: null });
    const fresh = await runNow(body.scheduleId);

    expect(body).toMatchObject({ maxAge: 3_600 });
    expect(run).toMatchObject({
      cost: { value: 0 },
      answeredFrom: { runId: earlier.body.runId },
      schedule: { scheduleId: body.scheduleId },
    });
    expect(fresh).toMatchObject({ cost: { value: 0.03 } });
    expect(served.first.count("POST /now-kept")).toBe(2);
  });

  test("of a single endpoint is refused what is for routes, when it is made", async () => {
    const refused = await make({ provider: "first", endpoint: "/now-kept", allowUncertainRepeats: true });

    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining("is for routes") } });
  });
});
