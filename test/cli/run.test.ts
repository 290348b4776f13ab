import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ctrlC, lastLine, runMkt } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import { anAcceptedRun, aRun, startStandIn, sunEndpoint, type StandInRoutes } from "./stand-in-service.ts";

const inspect = { "POST /v1/inspect": { body: sunEndpoint } };
const sync: StandInRoutes = { ...inspect, "POST /v1/run": { body: aRun() } };
const provider404 = aRun({
  output: null,
  providerResponse: { httpStatus: 404, error: { status: 404, message: "No such place" } },
  cost: { value: 0, currency: "USD" },
});

/** Answers GET /v1/runs/01RUN with these runs in turn, the last one for ever. */
function runsInTurn(...runs: Record<string, unknown>[]): StandInRoutes {
  let asked = 0;
  return {
    "POST /v1/run": { status: 202, body: anAcceptedRun() },
    "GET /v1/runs/01RUN": () => ({ body: runs[Math.min(asked++, runs.length - 1)] }),
  };
}

describe("mkt run", () => {
  test("prints the run as one line of JSON where no terminal is, and how it ended last on stderr", async () => {
    await using service = await startStandIn(sync);

    const { exitCode, stdout, stderr } = await runMkt(["run", "atlas/sun"], service);

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual(aRun());
    expect(stdout.trimEnd()).not.toContain("\n");
    expect(lastLine(stderr)).toBe("COMPLETED · $0.001 · 1.5 s · run 01RUN");
  });

  test("sends key=value as the endpoint's schema wants it, with an idempotency key and who it is", async () => {
    await using service = await startStandIn(sync);

    await runMkt(
      ["run", "atlas/sun", "latitude=38.7", "date=2026-06-21", "--max-cost", "$0.5", "--tag", "team=a"],
      service,
    );

    const [asked, sent] = service.requests;
    expect(asked?.body).toEqual({ provider: "atlas", endpoint: "/sun" });
    expect(sent?.body).toEqual({
      provider: "atlas",
      endpoint: "/sun",
      input: { queryParams: { latitude: 38.7, date: "2026-06-21" } },
      maxCost: { value: 0.5, currency: "USD" },
      tags: { team: "a" },
    });
    expect(sent?.headers["idempotency-key"]).toMatch(/^[0-9A-Z]{26}$/);
    expect(sent?.headers).toMatchObject({ authorization: "Bearer mkt_test_key", "x-mkt-client": "cli" });
  });

  test("uses a new idempotency key for every call", async () => {
    await using service = await startStandIn(sync);

    await runMkt(["run", "atlas/sun"], service);
    await runMkt(["run", "atlas/sun"], service);

    const keys = service.requests.map(({ headers }) => headers["idempotency-key"]);
    expect(new Set(keys).size).toBe(2);
  });

  test("takes the whole input from the flag, a file or standard input, as it is", async () => {
    using folder = tempDir();
    const path = join(folder.path, "input.json");
    writeFileSync(path, '{"latitude": 2}');
    await using service = await startStandIn(sync);

    await runMkt(["run", "atlas/sun", "-i", '{"latitude": 1}'], service);
    await runMkt(["run", "atlas/sun", "-i", `@${path}`], service);
    await runMkt(["run", "atlas/sun", "-i", "-"], { ...service, stdin: '{"latitude": 3}' });

    const inputs = service.requests.map(({ body }) => (body as { input: unknown }).input);
    expect(inputs).toEqual([{ latitude: 1 }, { latitude: 2 }, { latitude: 3 }]);
  });

  test.each([
    ["input that is not JSON", ["-i", "{"], 5, "cannot be read"],
    ["input that is a list", ["-i", "[1]"], 5, "a list came"],
    ["an input file that is not there", ["-i", "@/nowhere/input.json"], 5, "/nowhere/input.json cannot be read"],
    ["empty standard input", ["-i", "-"], 5, "it is empty"],
    ["two kinds of input", ["-i", "{}", "latitude=1"], 2, "not as both"],
    ["an unknown flag", ["--colour"], 2, "unknown option '--colour'"],
    ["a wait that is no number", ["--wait-seconds", "long"], 2, "number of seconds"],
    ["a cost of nothing", ["--max-cost", "0"], 2, "above 0"],
    ["a field that the endpoint does not have", ["latitud=1"], 5, "Did you mean latitude?"],
  ])("refuses %s, without running anything", async (_what, words, code, message) => {
    await using service = await startStandIn(sync);

    const { exitCode, stdout, stderr } = await runMkt(["run", "atlas/sun", ...words], service);

    expect(exitCode).toBe(code);
    expect(stdout).toBe("");
    expect(stderr).toContain(message);
    expect(service.requests.filter(({ path }) => path === "/v1/run")).toEqual([]);
  });

  test("waits for a run that goes on, and prints it when it has ended", async () => {
    await using service = await startStandIn(runsInTurn(anAcceptedRun(), anAcceptedRun(), aRun()));

    const { exitCode, stdout } = await runMkt(["run", "atlas/reports/time-zones"], service);

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual(aRun());
    const waits = service.requests.filter(({ method }) => method === "GET").map(({ query }) => Number(query["wait"]));
    expect(waits).toHaveLength(3);
    expect(waits.every((seconds) => seconds > 0 && seconds <= 60)).toBe(true);
  });

  test("returns at once with --no-wait, and says how to go on", async () => {
    await using service = await startStandIn(runsInTurn(anAcceptedRun()));

    const { exitCode, stdout, stderr } = await runMkt(["run", "atlas/reports/time-zones", "--no-wait"], service);

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual(anAcceptedRun());
    expect(stderr).toContain("mkt get-run 01RUN --wait");
    expect(service.requests).toHaveLength(1);
  });

  test("ends with 6 and the run as last seen when the time is over", async () => {
    await using service = await startStandIn(runsInTurn(anAcceptedRun({ progress: 0.5 })));

    const words = ["run", "atlas/reports/time-zones", "--wait-seconds", "0.3", "--json"];
    const { exitCode, stdout, stderr } = await runMkt(words, service);

    expect(exitCode).toBe(6);
    expect(JSON.parse(stdout)).toEqual(anAcceptedRun({ progress: 0.5 }));
    expect(JSON.parse(lastLine(stderr))).toEqual({
      code: 0,
      runId: "01RUN",
      status: "RUNNING",
      message: "Run 01RUN is still RUNNING and continues. To stop it: mkt stop 01RUN",
      next: "mkt get-run 01RUN --wait",
    });
  });

  test("waits on through a service that is overloaded for a moment", async () => {
    let asked = 0;
    await using service = await startStandIn({
      "POST /v1/run": { status: 202, body: anAcceptedRun() },
      "GET /v1/runs/01RUN": () =>
        asked++ === 0 ? { status: 503, body: { code: 503, message: "Overloaded" } } : { body: aRun() },
    });

    const { exitCode } = await runMkt(["run", "atlas/reports/time-zones"], service);

    expect(exitCode).toBe(0);
  });

  test("waits on through a connection that is lost for a moment", async () => {
    let asked = 0;
    await using service = await startStandIn({
      "POST /v1/run": { status: 202, body: anAcceptedRun() },
      "GET /v1/runs/01RUN": (_request, response) => {
        if (asked++ > 0) return { body: aRun() };
        response.destroy();
        return Promise.resolve(undefined);
      },
    });

    const { exitCode } = await runMkt(["run", "atlas/reports/time-zones"], service);

    expect(exitCode).toBe(0);
  });

  test("stops waiting at Ctrl-C with the commands that resume and stop the run", async () => {
    const keyboard = ctrlC();
    await using service = await startStandIn({
      "POST /v1/run": { status: 202, body: anAcceptedRun() },
      "GET /v1/runs/01RUN": () => {
        keyboard.press();
        return Promise.resolve(undefined);
      },
    });

    const { exitCode, stderr } = await runMkt(["run", "atlas/reports/time-zones"], {
      ...service,
      onInterrupt: keyboard.onInterrupt,
    });

    expect(exitCode).toBe(130);
    expect(stderr).toContain("mkt stop 01RUN");
    expect(lastLine(stderr)).toContain("mkt get-run 01RUN --wait");
  });

  test("says that the run may continue when Ctrl-C comes before the service has answered", async () => {
    const keyboard = ctrlC();
    await using service = await startStandIn({
      "POST /v1/run": () => {
        keyboard.press();
        return Promise.resolve(undefined);
      },
    });

    const { exitCode, stderr } = await runMkt(["run", "atlas/sun"], { ...service, onInterrupt: keyboard.onInterrupt });

    expect(exitCode).toBe(130);
    expect(stderr).toContain("the run may continue");
  });

  test("finds the run that a silent service has under way by its idempotency key, when Ctrl-C comes", async () => {
    const keyboard = ctrlC();
    let asked = 0;
    await using service = await startStandIn({
      "POST /v1/run": () => {
        if (asked++ > 0) return { status: 409, body: { code: 409, message: "Under way", runId: "01RUN" } };
        keyboard.press();
        return Promise.resolve(undefined);
      },
      "GET /v1/runs/01RUN": { body: anAcceptedRun() },
    });

    const { exitCode, stderr } = await runMkt(["run", "atlas/sun"], { ...service, onInterrupt: keyboard.onInterrupt });

    const [first, second] = service.requests.map((request) => request.headers["idempotency-key"]);
    expect(exitCode).toBe(130);
    expect(first).toBe(second);
    expect(stderr).toContain("mkt stop 01RUN");
    expect(lastLine(stderr)).toContain("mkt get-run 01RUN --wait");
  });

  test("never repeats a call that was cut off, and says where to look", async () => {
    await using service = await startStandIn({
      "POST /v1/run": (_request, response) => {
        response.destroy();
        return Promise.resolve(undefined);
      },
    });

    const { exitCode, stderr } = await runMkt(["run", "atlas/sun", "--json"], service);

    expect(exitCode).toBe(9);
    expect(JSON.parse(lastLine(stderr))).toMatchObject({ code: 0, next: "mkt runs" });
    expect(service.requests).toHaveLength(1);
  });

  test.each([
    ["a provider error", { status: 200, body: provider404 }, 3, "The provider answered 404: No such place"],
    [
      "a failed run",
      { body: aRun({ status: "FAILED", error: { message: "connection refused" } }) },
      1,
      "connection refused",
    ],
    [
      "a blocked run",
      { body: aRun({ status: "BLOCKED", reason: "over the budget", cost: undefined }) },
      7,
      "over the budget",
    ],
    [
      "a run that timed out",
      { status: 408, body: { ...aRun({ status: "TIMED_OUT" }), code: 408, message: "x" } },
      10,
      "timed out",
    ],
    [
      "a mirrored provider error",
      { status: 404, body: { ...provider404, code: 404, message: "No such place" } },
      3,
      "404",
    ],
    ["a stopped run", { body: aRun({ status: "STOPPED" }) }, 10, "was stopped"],
  ])("%s: the run on stdout, the reason last on stderr", async (_what, answer, code, message) => {
    await using service = await startStandIn({ "POST /v1/run": answer });

    const { exitCode, stdout, stderr } = await runMkt(["run", "atlas/sun", "--json"], service);

    expect(exitCode).toBe(code);
    expect(JSON.parse(stdout)).toMatchObject({ runId: "01RUN" });
    expect(JSON.parse(lastLine(stderr)).message).toContain(message);
  });

  test.each([
    [400, "latitude is required", undefined, 5, "mkt inspect atlas/sun"],
    [402, "Too little in the wallet: mkt wallet credit 10", "WALLET_INSUFFICIENT_FUNDS", 7, "mkt inspect atlas/sun"],
    [404, "Provider atlas has no endpoint /sun", undefined, 8, "mkt endpoints --provider atlas"],
    [403, "The key may not run", "INSUFFICIENT_SCOPE", 4, "mkt whoami"],
    // Without Retry-After nothing says that waiting helps.
    [429, "Slow down.", "RATE_LIMITED", 11, "mkt api GET /health"],
    [500, "Internal error", undefined, 1, "mkt api GET /health"],
  ])("an answer %i is told as it came, with the next command", async (status, message, errorCode, code, next) => {
    const body = { code: status, message, ...(errorCode && { errorCode }) };
    await using service = await startStandIn({ "POST /v1/run": { status, body } });

    const { exitCode, stdout, stderr } = await runMkt(["run", "atlas/sun", "--json"], service);

    expect(exitCode).toBe(code);
    expect(stdout).toBe("");
    const error = JSON.parse(lastLine(stderr));
    expect(error.code).toBe(status);
    expect(error.message).toContain(message);
    expect(error.next).toBe(next);
  });

  test("names where a refused key came from", async () => {
    await using service = await startStandIn({
      "POST /v1/run": { status: 401, body: { code: 401, message: "Unauthorized" } },
    });

    const { exitCode, stderr } = await runMkt(["run", "atlas/sun"], service);

    expect(exitCode).toBe(4);
    expect(stderr).toContain("Unauthorized (the key came from MKT_API_KEY)");
  });

  test("says that nothing answers at the address, and where the address came from", async () => {
    const service = await startStandIn({});
    await service[Symbol.asyncDispose]();

    const { exitCode, stderr } = await runMkt(["run", "atlas/sun", "--json"], service);

    expect(exitCode).toBe(9);
    expect(JSON.parse(lastLine(stderr))).toMatchObject({ code: 0 });
    expect(stderr).toContain("MKT_API_URL");
  });

  test("says that an answer is not JSON", async () => {
    await using service = await startStandIn({ "POST /v1/run": { status: 502, text: "<html>Bad gateway</html>" } });

    const { exitCode, stderr } = await runMkt(["run", "atlas/sun"], service);

    expect(exitCode).toBe(1);
    expect(stderr).toContain("not JSON");
  });

  test.each([
    ["atlas", "mkt endpoints --provider atlas"],
    ["/sun", "mkt discover <words>"],
    ["atlas/", "mkt discover <words>"],
  ])("says how an endpoint is written when %s is not one", async (word, next) => {
    const { exitCode, stderr } = await runMkt(["run", word]);

    expect(exitCode).toBe(2);
    expect(lastLine(stderr)).toBe(`  next: ${next}`);
  });

  test.each([
    ["a run that delivered", aRun(), 0, "COMPLETED · $0.001 · 1.5 s · run 01RUN"],
    ["a provider's 404", provider404, 3, "ANSWERED 404 · $0 · 1.5 s · run 01RUN"],
    [
      "a provider's 401",
      { ...provider404, providerResponse: { httpStatus: 401 } },
      3,
      "ANSWERED 401 · $0 · 1.5 s · run 01RUN",
    ],
    [
      "a failed run",
      aRun({ status: "FAILED", cost: { value: 0, currency: "USD" } }),
      1,
      "FAILED · $0 · 1.5 s · run 01RUN",
    ],
    [
      "a blocked run",
      aRun({ status: "BLOCKED", reason: "over the budget", cost: undefined, completedAt: undefined }),
      7,
      "BLOCKED · run 01RUN",
    ],
  ])("%s ends in one line that says how, for how much, how long it took and which run it was", async (...row) => {
    const [, run, code, line] = row;
    await using service = await startStandIn({ "POST /v1/run": { body: run } });

    const { exitCode, stderr } = await runMkt(["run", "atlas/sun"], service);

    expect(exitCode).toBe(code);
    expect(lastLine(stderr)).toBe(line);
  });

  test("writes the output of the run, and nothing else, to the file of -o", async () => {
    using folder = tempDir();
    const path = join(folder.path, "out.json");
    await using service = await startStandIn(sync);

    const { exitCode, stdout } = await runMkt(["run", "atlas/sun", "-o", path], service);

    const { readFileSync } = await import("node:fs");
    expect(exitCode).toBe(0);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ sunrise: "06:12" });
    expect(stdout).toBe("");
  });

  test("writes no file for a run without data", async () => {
    using folder = tempDir();
    const path = join(folder.path, "out.json");
    await using service = await startStandIn({ "POST /v1/run": { body: provider404 } });

    const { exitCode } = await runMkt(["run", "atlas/sun", "-o", path], service);

    const { existsSync } = await import("node:fs");
    expect(exitCode).toBe(3);
    expect(existsSync(path)).toBe(false);
  });
});

describe("mkt get-run", () => {
  test("shows a run that goes on, and ends with 0", async () => {
    await using service = await startStandIn({ "GET /v1/runs/01RUN": { body: anAcceptedRun() } });

    const { exitCode, stdout } = await runMkt(["get-run", "01RUN"], service);

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: "RUNNING" });
  });

  test.each([
    ["get-run", "01RUN", "--wait"],
    ["getRun", "01RUN", "--wait"],
    ["runs", "wait", "01RUN"],
  ])("%s %s waits until it has ended", async (...words) => {
    await using service = await startStandIn(runsInTurn(anAcceptedRun(), provider404));

    const { exitCode } = await runMkt(words.filter(Boolean), service);

    expect(exitCode).toBe(3);
  });

  test("names the list when the run is not known", async () => {
    await using service = await startStandIn({});

    const { exitCode, stderr } = await runMkt(["get-run", "01NONE"], service);

    expect(exitCode).toBe(8);
    expect(lastLine(stderr)).toBe("  next: mkt runs");
  });
});
