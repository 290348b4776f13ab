import { Writable } from "node:stream";
import { describe, expect, test, vi } from "vitest";
import { jsonLines, runMkt, TextSink } from "../support/run-cli.ts";
import { anAcceptedRun, aRun, startStandIn, sunEndpoint, type StandInRoutes } from "./stand-in-service.ts";

const found = {
  query: "sun",
  count: 2,
  results: [
    {
      provider: "atlas",
      endpoint: "/sun",
      description: "Sunrise and sunset.",
      score: 1.3,
      tags: [],
      price: sunEndpoint.price,
      metrics: { status: "healthy", runTimeMs: { p50: 12 } },
    },
    {
      provider: "atlas",
      endpoint: "/moon",
      description: "Phases ".repeat(40),
      score: 0.9,
      tags: [],
      price: sunEndpoint.price,
    },
  ],
};
const nothingFound = { query: "sun", count: 0, results: [] };
const routes: StandInRoutes = {
  "POST /v1/discover": { body: found },
  "POST /v1/inspect": { body: sunEndpoint },
  "POST /v1/run": { body: aRun() },
  "GET /v1/runs/01GOES": { body: anAcceptedRun({ runId: "01GOES", progress: "3 of 9 zones", stoppable: true }) },
  "GET /v1/runs": { body: { items: [aRun()], cursor: "next one" } },
};

const green = "\u001b[38;5;28m";
const red = "\u001b[38;5;160m";
const plain = "\u001b[39m";

/** What stays on stderr: the line of the spinner is taken away by its own escape sequence. */
function withoutSpinner(stderr: string): string {
  return stderr.split("\r\u001b[2K").at(-1) ?? "";
}

describe("on a terminal", () => {
  test("discover shows endpoints in two lines, with price and health, and ends with the command that looks at one", async () => {
    await using service = await startStandIn(routes);

    const { stdout } = await runMkt(["discover", "sun"], { ...service, tty: true });

    expect(stdout).toMatch(
      /^atlas\/sun {2}\$0\.001\/call {2}healthy, 12 ms\n {2}Sunrise and sunset\.\natlas\/moon {2}\$0\.001\/call\n {2}Phases Phases .*…\n\n/,
    );
    expect(stdout).not.toContain("matched");
    expect(stdout.trimEnd()).toMatch(/Look at one: mkt inspect atlas\/sun$/);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  test("discover that finds nothing says so and where to browse", async () => {
    await using service = await startStandIn({ "POST /v1/discover": { body: nothingFound } });

    const { exitCode, stdout } = await runMkt(["discover", "sun"], { ...service, tty: true });

    expect(exitCode).toBe(0);
    expect(stdout).toContain('Nothing in the catalog fits "sun".');
    expect(stdout).toContain("mkt categories");
  });

  test("inspect shows price, input and docs, and ends with a line that runs it", async () => {
    await using service = await startStandIn(routes);

    const { stdout } = await runMkt(["inspect", "atlas", "sun"], { ...service, tty: true });

    expect(stdout).toContain("$0.001/call");
    expect(stdout).toContain("https://example.org/sun");
    expect(stdout).toMatch(/latitude +number, required\. Degrees north/);
    expect(stdout.trimEnd()).toMatch(/mkt run atlas\/sun latitude=38.7 longitude=-9.1 date=2026-06-21$/);
  });

  test("run shows the data, then in one line how it ended", async () => {
    await using service = await startStandIn(routes);

    const { stdout, stderr } = await runMkt(["run", "atlas/sun"], { ...service, tty: true });

    expect(stdout.trimEnd()).toBe('{\n  "sunrise": "06:12"\n}');
    expect(withoutSpinner(stderr)).toBe(`${green}COMPLETED${plain} · $0.001 · 1.5 s · run 01RUN\n`);
  });

  test.each([404, 401])("an answer %i of the provider is nowhere a green COMPLETED", async (httpStatus) => {
    const refused = aRun({ output: null, providerResponse: { httpStatus }, cost: { value: 0, currency: "USD" } });
    await using service = await startStandIn({
      "POST /v1/run": { body: refused },
      "GET /v1/runs/01RUN": { body: refused },
      "GET /v1/runs": { body: { items: [refused], cursor: null } },
    });

    const [run, looked, listed] = await Promise.all(
      [["run", "atlas/sun"], ["get-run", "01RUN"], ["runs"]].map((words) => runMkt(words, { ...service, tty: true })),
    );

    expect(run?.stdout).toBe("");
    expect(withoutSpinner(run?.stderr ?? "")).toContain(
      `${red}ANSWERED ${httpStatus}${plain} · $0 · 1.5 s · run 01RUN`,
    );
    for (const outcome of [run, looked, listed]) {
      const text = `${outcome?.stdout}${outcome?.stderr}`;
      expect(text).not.toContain("COMPLETED");
      expect(text).not.toContain(green);
    }
    for (const outcome of [looked, listed]) expect(outcome?.stdout).toContain(`ANSWERED ${httpStatus}`);
  });

  test("a run that goes on is shown with its progress and the commands that wait for and stop it", async () => {
    await using service = await startStandIn(routes);

    const { stdout } = await runMkt(["get-run", "01GOES"], { ...service, tty: true });

    expect(stdout).toContain("3 of 9 zones");
    expect(stdout).toContain("mkt get-run 01GOES --wait");
    expect(stdout).toContain("mkt stop 01GOES");
  });

  test("a long output is cut, and whole with --full", async () => {
    const output = Array.from({ length: 100 }, (_, index) => index);
    await using service = await startStandIn({ "POST /v1/run": { body: aRun({ output }) } });

    const cut = await runMkt(["run", "atlas/sun"], { ...service, tty: true });
    const full = await runMkt(["run", "atlas/sun", "--full"], { ...service, tty: true });

    expect(cut.stdout).toMatch(/ {2}9,\n {2}… 90 more\n\]\nShortened/);
    expect(cut.stdout).toContain("See all of it: mkt get-run 01RUN --full");
    expect(full.stdout).toContain("\n  99\n]");
  });

  test("endpoints have one line each, however long their names are", async () => {
    const card = {
      provider: "atlas",
      endpoint: "/reports/time-zones",
      displayName: "Report over every time zone there is in the world",
      displayDescription: "All of them, ".repeat(10),
      price: sunEndpoint.price,
    };
    await using service = await startStandIn({ "GET /public/v1/endpoints": { body: { items: [card, card] } } });

    const { stdout } = await runMkt(["endpoints"], { ...service, tty: true });

    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(6);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    expect(lines[1]).toMatch(/^atlas\/reports\/time-zones {2}\$0\.001\/call {2}Report/);
  });

  test("keys are shown with their limits, and when they were last used", async () => {
    const key = { label: "ci", keyPrefix: "mkt_live_a", status: "ACTIVE", scopes: ["*"] };
    const limited = {
      ...key,
      label: "old",
      endpoints: ["a/sun"],
      spendLimit: { amount: { value: 5, currency: "USD" }, period: "DAY" },
      lastUsedAt: "2026-01-02T03:04:05.000Z",
    };
    await using service = await startStandIn({ "GET /v1/api-keys": { body: { items: [key, limited] } } });

    const { stdout } = await runMkt(["keys"], { ...service, tty: true });

    expect(stdout).toMatch(/label +key +status +role +within +last used\n/);
    expect(stdout).toMatch(/ci +mkt_live_a… +ACTIVE +\* +never\n/);
    expect(stdout).toMatch(/old +mkt_live_a… +ACTIVE +\* +a\/sun, \$5 a day +20\d\d-01-02\n/);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  test.each([
    [42, "percent", "42 %"],
    [0.5, "percent", "1 %"],
    [0.5, "fraction", "50 %"],
    [1, "fraction", "100 %"],
    [37, "pages", "37 pages"],
    [37, undefined, "at 37"],
    ["3 of 9 zones", undefined, "3 of 9 zones"],
  ])(
    "the provider's progress %j, counted in %s, is shown as %s while waiting",
    async (progress, progressUnit, shown) => {
      let asked = 0;
      const stderr = new TextSink();
      const line = `RUNNING atlas/reports/time-zones · ${shown} · `;
      await using service = await startStandIn({
        "GET /v1/runs/01RUN": async () => {
          if (asked++ === 0) return { body: anAcceptedRun({ progress, progressUnit }) };
          await vi.waitUntil(() => stderr.text.includes(line), 10_000);
          return { body: aRun() };
        },
      });

      const { exitCode } = await runMkt(["get-run", "01RUN", "--wait"], { ...service, stderr, tty: true });

      expect(exitCode).toBe(0);
      expect(stderr.text).toContain(line);
    },
  );

  test("--json prints the service's answer and nothing else", async () => {
    await using service = await startStandIn(routes);

    const { stdout } = await runMkt(["discover", "sun", "--json"], { ...service, tty: true });

    expect(JSON.parse(stdout)).toEqual(found);
  });

  test("hints of the service become commands of this shell", async () => {
    const hints = { "a whole year": { kind: "run", provider: "atlas", endpoint: "/reports/almanac" }, plain: "curl …" };
    await using service = await startStandIn({ "POST /v1/inspect": { body: { ...sunEndpoint, hints } } });

    const { stdout } = await runMkt(["inspect", "atlas/sun"], { ...service, tty: true });

    expect(stdout).toContain("a whole year: mkt run atlas/reports/almanac");
    expect(stdout).toContain("plain: curl …");
  });

  test("nothing that came from a service can steer the terminal", async () => {
    const evil = "\u001b]52;c;ZXZpbA==\u0007\u001b[2J\u009b31mred\rover\u202eturned";
    const run = aRun({
      output: { [evil]: evil },
      providerName: evil,
      endpoint: `/${evil}`,
      notes: [evil],
      hints: { [evil]: evil },
    });
    const listed = {
      query: evil,
      count: 1,
      results: [{ ...found.results[0], endpoint: `/${evil}`, description: evil }],
    };
    await using service = await startStandIn({
      "POST /v1/run": { body: run },
      "POST /v1/discover": { body: listed },
      "POST /v1/inspect": { status: 400, body: { code: 400, message: evil } },
    });

    const outcomes = await Promise.all(
      [
        ["run", "a/b"],
        ["run", "a/b", "--json"],
        ["run", "a/b", "--full"],
        ["discover", "x"],
        ["inspect", "a/b"],
        ["inspect", "a/b", "--json"],
      ].flatMap((words) => [runMkt(words, service), runMkt([...words, "--no-color"], { ...service, tty: true })]),
    );

    for (const { stdout, stderr } of outcomes) {
      // The progress line is ours: it returns to the start of the line and clears it.
      const text = stdout + stderr.replaceAll("\r\u001b[2K", "");
      // oxlint-disable-next-line no-control-regex
      expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
    }
  });

  test.each([
    ["--no-color", {}, ["--no-color"]],
    ["NO_COLOR", { NO_COLOR: "1" }, []],
    ["TERM=dumb", { TERM: "dumb" }, []],
  ])("there are no colours and no escapes with %s", async (_what, env: Record<string, string>, flags) => {
    await using service = await startStandIn(routes);

    const { stdout } = await runMkt(["inspect", "atlas/sun", ...flags], {
      tty: true,
      env: { ...service.env, ...env },
    });

    expect(stdout).not.toContain("\u001b");
  });
});

describe("where no terminal is", () => {
  test("a list is one line of JSON for each item", async () => {
    await using service = await startStandIn(routes);

    const { stdout } = await runMkt(["discover", "sun"], service);

    expect(jsonLines(stdout)).toEqual(found.results);
  });

  test("an empty list is nothing at all, and no error", async () => {
    await using service = await startStandIn({ "GET /public/v1/endpoints": { body: { items: [], total: 0 } } });

    expect(await runMkt(["endpoints", "sun"], service)).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  });

  test("an empty list is the service's empty page with --json", async () => {
    await using service = await startStandIn({ "POST /v1/discover": { body: nothingFound } });

    const { stdout } = await runMkt(["discover", "sun", "--json"], service);

    expect(JSON.parse(stdout)).toEqual(nothingFound);
  });

  test("inspect is one JSON value", async () => {
    await using service = await startStandIn(routes);

    const { stdout } = await runMkt(["inspect", "atlas/sun"], service);

    expect(jsonLines(stdout)).toEqual([sunEndpoint]);
  });

  test("the command for the next page is on stderr, ready to paste", async () => {
    await using service = await startStandIn(routes);

    const { stderr } = await runMkt(["runs", "--limit", "1", "--cursor", "old"], service);

    expect(stderr).toBe("All of them: mkt runs --limit 1 --all\nMore: mkt runs --limit 1 --cursor 'next one'\n");
  });

  test("no spinner and no notes with --quiet, but errors", async () => {
    await using service = await startStandIn({});

    const { stderr } = await runMkt(["get-run", "01NONE", "--quiet"], { ...service, tty: true });

    expect(stderr).not.toContain("⠋");
    expect(stderr).toContain("Not found");
  });

  test("a reader that goes away ends the command quietly", async () => {
    await using service = await startStandIn(routes);
    const broken = Object.assign(new Error("write EPIPE"), { code: "EPIPE" });
    const stdout = new Writable({ write: (_chunk, _encoding, done) => done(broken) });

    const { exitCode, stderr } = await runMkt(["discover", "sun"], { ...service, stdout });

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  });

  test("a disk that is full under a redirect is an error", async () => {
    await using service = await startStandIn(routes);
    const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    const stdout = new Writable({ write: (_chunk, _encoding, done) => done(full) });

    const { exitCode, stderr } = await runMkt(["discover", "sun"], { ...service, stdout });

    expect(exitCode).toBe(1);
    expect(stderr).toContain("no space left on device");
  });
});
