import { describe, expect, test } from "vitest";
import { startRunOnce } from "../../cli/mcp/start-run-once.ts";
import { createClient } from "../../shared/client/client.ts";
import { runMkt } from "../support/run-cli.ts";
import { aRun, startStandIn, type StandInAnswer } from "./stand-in-service.ts";

const tooMuch = (status: number, seconds: string): StandInAnswer => ({
  status,
  headers: { "retry-after": seconds },
  body: { code: status, message: "This key has 5 runs under way and may have 5 at a time." },
});

/** Refuses so often, and then gives the run. */
async function serviceThatRefuses(...refusals: readonly StandInAnswer[]) {
  let asked = 0;
  return await startStandIn({ "POST /v1/run": () => refusals[asked++] ?? { body: aRun() } });
}

describe("mkt run, where the service has too much to do", () => {
  test("sends the run again when it is told, with the same key, and says so once", async () => {
    await using service = await serviceThatRefuses(tooMuch(429, "1"), tooMuch(503, "1"));

    const { exitCode, stdout, stderr } = await runMkt(["run", "atlas/sun", "--json"], service);

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ runId: "01RUN" });
    expect(stderr.match(/Retrying automatically/g)).toHaveLength(1);
    const keys = service.requests.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });

  test("gives up at once where the time that is waited for would be over by then", async () => {
    await using service = await serviceThatRefuses(tooMuch(429, "30"));

    const { exitCode, stderr } = await runMkt(["run", "atlas/sun", "--wait-seconds", "5"], service);

    expect(exitCode).toBe(11);
    expect(stderr).toContain("Try again in 30 seconds.");
    expect(service.requests).toHaveLength(1);
  });
});

describe("where a person has to do something first, a Retry-After is not believed", () => {
  const codes = ["STORAGE_FAILED", "MISSING_GRANT", "MISSING_SECRET", "NOT_CONFIGURED", "NOT_CONNECTED"];
  const refusal = (errorCode: string): StandInAnswer => ({
    status: 503,
    headers: { "retry-after": "0.05" },
    body: { code: 503, message: "Not now.", errorCode },
  });

  test.each([...codes, "PROVIDER_NOT_LOADED"])("mkt run sends nothing again: %s", async (code) => {
    await using service = await serviceThatRefuses(refusal(code));

    const { exitCode, stderr } = await runMkt(["run", "atlas/sun"], service);

    expect(exitCode).not.toBe(0);
    expect(stderr).not.toMatch(/Try again in|Retrying automatically/);
    expect(service.requests).toHaveLength(1);
  });

  test("mkt get-run does not wait for a service whose disk failed", async () => {
    let asked = 0;
    const underWay = { ...aRun(), status: "RUNNING" };
    await using service = await startStandIn({
      "GET /v1/runs/01RUN": () => (asked++ === 0 ? { body: underWay } : refusal("STORAGE_FAILED")),
    });

    const { exitCode } = await runMkt(["get-run", "01RUN", "--wait-seconds", "20"], service);

    expect(exitCode).toBe(1);
    expect(service.requests).toHaveLength(2);
  });
});

describe("mkt discover, while the service is overloaded", () => {
  test.for([
    { route: "POST /v1/discover", words: [], answer: { results: [], count: 0 } },
    { route: "POST /v1/discover/providers", words: ["--by", "provider"], answer: { items: [] } },
    { route: "POST /v1/discover/categories", words: ["--by", "category"], answer: { items: [] } },
  ])("asks again after the pause that the service asks for: $route", async ({ route, words, answer }) => {
    let asked = 0;
    await using service = await startStandIn({
      [route]: () => (asked++ < 2 ? tooMuch(503, "0.05") : { body: answer }),
    });

    const { exitCode, stdout, stderr } = await runMkt(["discover", "sunrise", ...words, "--json"], service);

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual(answer);
    expect(stderr.match(/Retrying automatically/g)).toHaveLength(1);
    expect(service.requests.filter(({ path }) => path === route.split(" ")[1])).toHaveLength(3);
  });

  test("gives up at once where the pause would be longer than half a minute", async () => {
    await using service = await startStandIn({ "POST /v1/discover": tooMuch(503, "31") });

    const { exitCode, stderr } = await runMkt(["discover", "sunrise"], service);

    expect(exitCode).not.toBe(0);
    expect(stderr).toContain("Try again in 31 seconds.");
    expect(service.requests).toHaveLength(1);
  });

  test("does not repeat a refusal without Retry-After", async () => {
    await using service = await startStandIn({
      "POST /v1/discover": { status: 503, body: { code: 503, message: "Not available" } },
    });

    const { exitCode } = await runMkt(["discover", "sunrise"], service);

    expect(exitCode).not.toBe(0);
    expect(service.requests).toHaveLength(1);
  });
});

describe("the tool run, where the service has too much to do", () => {
  test("sends the run again when it is told, with the same key, however often", async () => {
    await using service = await serviceThatRefuses(...Array.from({ length: 6 }, () => tooMuch(503, "0.05")));
    const client = createClient({ baseUrl: service.url });

    const run = await startRunOnce(async () => client, {
      request: { provider: "atlas", endpoint: "/sun" },
      key: "once",
      waitSeconds: 20,
      signal: new AbortController().signal,
    });

    expect(run.runId).toBe("01RUN");
    expect(service.requests.map(({ headers }) => headers["idempotency-key"])).toEqual(Array(7).fill("once"));
  });
});

describe("the tool run, where the service goes away after a call that it may have got", () => {
  test("says that the outcome is not known, with the key to call again with", async () => {
    const service = await startStandIn({
      "POST /v1/run": async (_request, response) => {
        response.socket?.destroy();
        return undefined;
      },
    });
    let connected = 0;

    const lost = startRunOnce(
      async () => {
        connected += 1;
        if (connected === 2) await service[Symbol.asyncDispose]();
        return createClient({ baseUrl: service.url });
      },
      {
        request: { provider: "atlas", endpoint: "/sun" },
        key: "once",
        waitSeconds: 20,
        signal: new AbortController().signal,
      },
    );

    await expect(lost).rejects.toThrow(/It is unknown whether the run was made\. .*"idempotencyKey": "once"/);
    expect(service.requests).toHaveLength(1);
    expect(connected).toBe(4);
  });
});
