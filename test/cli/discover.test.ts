import { describe, expect, test } from "vitest";
import { jsonLines, runMkt } from "../support/run-cli.ts";
import { startStandIn, sunEndpoint, type StandInRoutes } from "./stand-in-service.ts";

const price = sunEndpoint.price;
const sun = { provider: "atlas", endpoint: "/sun", description: "Sunrise and sunset.", score: 1.3, tags: [], price };
const match = (endpoint: string, confidence: string) => ({ ...sun, endpoint, confidence });
const nothingFound = { query: "search the web", count: 0, results: [] };
const needsKey = { reason: "missingSecret", missing: ["BRAVE_API_KEY"] };
const unavailable = {
  count: 4,
  better: 3,
  providers: [
    { provider: "brave", endpoint: "/web", count: 2, ...needsKey },
    { provider: "tavily", endpoint: "/search", count: 1, reason: "needsGrant" },
    { provider: "atlas", endpoint: "/moon", count: 1, reason: "outage" },
  ],
};
const words = ["discover", "search", "the", "web"];

function answering(body: object): StandInRoutes {
  return { "POST /v1/discover": { body } };
}

describe("mkt discover --also", () => {
  const also = ["web search", "search engine results"];
  const line = [...words, "--also", "web search", "--also", "search engine results"];

  test("asks all wordings at once", async () => {
    await using service = await startStandIn(answering({ query: "search the web", count: 1, results: [sun], also }));

    const { stdout, stderr } = await runMkt(line, service);

    expect(service.requests.map(({ body }) => body)).toEqual([{ q: "search the web", also }]);
    expect([jsonLines(stdout), stderr]).toEqual([[sun], ""]);
  });

  test("says that the query alone was asked where the service passes over the others", async () => {
    await using service = await startStandIn(answering({ query: "search the web", count: 1, results: [sun] }));

    const { stdout, stderr, exitCode } = await runMkt(line, service);

    expect([jsonLines(stdout), exitCode]).toEqual([[sun], 0]);
    expect(stderr).toBe(
      "This service does not take rephrasings: only the query itself was asked. Ask once for each wording.\n",
    );
  });

  test("asks the query alone where the service refuses a member that it does not know", async () => {
    const refusal = { status: 400, body: { code: 400, message: 'unrecognized member "also"' } };
    await using service = await startStandIn({
      "POST /v1/discover": ({ body }) =>
        body !== null && typeof body === "object" && "also" in body
          ? refusal
          : { body: { query: "search the web", count: 1, results: [sun] } },
    });

    const { stdout, stderr } = await runMkt(line, service);

    expect(jsonLines(stdout)).toEqual([sun]);
    expect(stderr).toContain("does not take rephrasings");
  });

  test("a mistake in a wording is told, and nothing is asked again", async () => {
    const message = "also: has at most 8 items";
    await using service = await startStandIn({
      "POST /v1/discover": { status: 400, body: { code: 400, message } },
    });

    const { stderr, exitCode } = await runMkt(line, service);

    expect(stderr).toContain(message);
    expect([exitCode === 0, service.requests.length]).toEqual([false, 1]);
  });

  test("groups by provider are of all wordings too", async () => {
    await using service = await startStandIn({ "POST /v1/discover/providers": { body: { items: [] } } });

    await runMkt([...line, "--by", "provider"], service);

    expect(service.requests[0]?.body).toEqual({ q: "search the web", also });
  });
});

describe("mkt discover says how surely a match fits", () => {
  const results = [match("/sun", "strong"), match("/moon", "possible"), match("/time", "weak")];
  const found = { query: "search the web", count: 3, results };
  const hints = {
    "Ask again in other words": {
      kind: "discover",
      query: "search the web",
      also: ["<kind of data>", "<thing named>"],
    },
    "See what comes nearest in Time": { kind: "discover", query: "search the web", category: "time" },
  };

  test("in a word beside it, without those that only come nearest", async () => {
    await using service = await startStandIn(answering(found));

    const { stdout } = await runMkt(words, { ...service, tty: true });

    expect(stdout).toMatch(/atlas\/sun .*strong match\n/);
    expect(stdout).toMatch(/atlas\/moon .*possible match\n/);
    expect(stdout).not.toContain("atlas/time");
  });

  test("those that only come nearest are apart, for who sets a floor", async () => {
    await using service = await startStandIn(answering(found));
    await using weak = await startStandIn(answering({ ...found, results: results.slice(2) }));

    const { stdout } = await runMkt([...words, "--min-score", "0"], { ...service, tty: true });
    const { stdout: nearest } = await runMkt([...words, "--min-score", "0"], { ...weak, tty: true });

    expect(stdout).toMatch(/atlas\/moon [^]*Nothing else fits well; nearest:\natlas\/time /);
    expect(nearest).toMatch(/^Nothing fits well; nearest:\natlas\/time /);
  });

  test("where all are weak it says that nothing fits, and the next steps of the service as commands", async () => {
    await using service = await startStandIn(answering({ ...found, results: results.slice(2), hints }));

    const [screen, piped] = [await runMkt(words, { ...service, tty: true }), await runMkt(words, service)];

    expect(screen.stdout).toMatch(/^Nothing in the catalog fits "search the web"\./);
    expect(screen.stdout).toContain(
      "Ask again in other words: add --also for each of: kind of data, thing named\n" +
        "See what comes nearest in Time: mkt discover 'search the web' --category time --min-score 0\n",
    );
    expect(screen.stdout).not.toContain("atlas/time");
    expect([jsonLines(piped.stdout).length, piped.stderr]).toEqual([
      1,
      'Nothing in the catalog fits "search the web" well: the 1 result is what comes nearest.\n',
    ]);
  });
});

describe("mkt discover tells what cannot be run now", () => {
  const found = { query: "search the web", count: 1, results: [sun], unavailable };

  test("on a terminal in one line, where something better is hidden", async () => {
    await using service = await startStandIn(answering(found));

    const { stdout } = await runMkt(words, { ...service, tty: true });

    expect(stdout.split("\n").slice(2)).toEqual([
      "",
      "3 better matches cannot be run now: add --include-unavailable",
      "",
      "Look at one: mkt inspect atlas/sun",
      "",
    ]);
    expect(service.requests[0]?.body).not.toHaveProperty("explain");
  });

  test("not at all where what is found is better", async () => {
    await using service = await startStandIn(answering({ ...found, unavailable: { ...unavailable, better: 0 } }));

    const [screen, piped] = [await runMkt(words, { ...service, tty: true }), await runMkt(words, service)];

    expect(screen.stdout).not.toContain("cannot be run");
    expect(piped.stderr).toBe("");
  });

  test("at length with --explain, with the commands that mend it and the one that shows it", async () => {
    await using service = await startStandIn(answering(found));

    const { stdout } = await runMkt([...words, "--explain"], { ...service, tty: true });

    expect(stdout.replace(/\s+/g, " ")).toContain(
      "4 matches cannot be run now, 3 of them better: brave/web needs a key; tavily/search needs the operator's grant; atlas/moon is in outage.",
    );
    expect(stdout).toContain("Set the key of brave (operator): mkt secrets set BRAVE_API_KEY\n");
    expect(stdout).toContain("(operator): mkt catalog grant tavily\n");
    expect(stdout).toContain("See them as well: mkt discover search the web --explain --include-unavailable\n");
    expect(stdout).not.toMatch(/score|1\.30?/);
  });

  test("in a pipe on stderr, so that stdout has results alone", async () => {
    await using service = await startStandIn(answering(found));

    const { stdout, stderr } = await runMkt(words, service);

    expect(jsonLines(stdout)).toEqual([sun]);
    expect(stderr).toBe(
      "3 better matches cannot be run now. To see: mkt discover search the web --include-unavailable\n",
    );
  });

  test("with --json as the service says it, and with --quiet not at all", async () => {
    await using service = await startStandIn(answering(found));

    const json = await runMkt([...words, "--json"], service);
    const quiet = await runMkt([...words, "--quiet"], service);

    expect(JSON.parse(json.stdout)).toEqual(found);
    expect([json.stderr, quiet.stderr]).toEqual(["", ""]);
  });

  test("of each result, when they were asked for", async () => {
    const results = [sun, { ...sun, provider: "brave", endpoint: "/web", unavailable: needsKey }];
    const told = { count: 1, better: 0, providers: unavailable.providers.slice(0, 1) };
    await using service = await startStandIn(answering({ ...found, count: 2, results, unavailable: told }));

    const { stdout } = await runMkt([...words, "--include-unavailable"], { ...service, tty: true });

    expect(stdout).toContain("brave/web  $0.001/call  needs a key (BRAVE_API_KEY)\n");
    expect(stdout).not.toContain("See them as well");
    expect(stdout).not.toContain("1 match cannot be run");
  });

  test.each([
    [["--limit", "1"], "--limit 1 --include-unavailable --min-score 1.301", "--include-unavailable --min-score 1.301"],
    [["--limit", "2"], "--limit 2 --include-unavailable", "--include-unavailable"],
    [["--limit=1", "--include-unavailable"], "--limit=1 --include-unavailable --min-score 1.301", "--min-score 1.301"],
  ])("shows with %j how to see what comes behind a full page", async (flags, shown, added) => {
    await using service = await startStandIn(answering(found));

    const screen = await runMkt([...words, ...flags], { ...service, tty: true });
    const { stdout } = await runMkt([...words, "--explain", ...flags], { ...service, tty: true });

    expect(stdout.replace(/\s+/g, " ")).toContain(`See them as well: mkt discover search the web --explain ${shown} `);
    expect(screen.stdout.replace(/\s+/g, " ")).toContain(`cannot be run now: add ${added} `);
  });

  test.each([
    [
      { count: 1, better: 1, providers: unavailable.providers.slice(0, 1) },
      "1 better match cannot be run now: brave/web",
    ],
    [{ count: 2, better: 0, providers: unavailable.providers.slice(0, 1) }, "2 matches cannot be run now: brave/web"],
    [{ count: 2, better: 2, providers: unavailable.providers.slice(0, 1) }, "2 matches cannot be run now, all of them"],
    [
      { count: 9, better: 0, providers: [...unavailable.providers, { ...unavailable.providers[0], provider: "exa" }] },
      "; and more of 1 other provider.",
    ],
  ])("%j is %s", async (members, sentence) => {
    await using service = await startStandIn(answering({ ...found, unavailable: members }));

    const { stderr } = await runMkt([...words, "--explain"], service);

    expect(stderr).toContain(sentence);
  });
});

describe("mkt discover that finds nothing", () => {
  const weak = [match("/sun", "weak")];
  const set = "mkt secrets set BRAVE_API_KEY";

  test("names no key where what lacks one fits no better", async () => {
    const found = { ...nothingFound, results: weak, unavailable: { ...unavailable, better: 0 } };
    await using service = await startStandIn(answering(found));

    const [screen, piped] = [await runMkt(words, { ...service, tty: true }), await runMkt(words, service)];

    expect(screen.stdout).toContain('Nothing in the catalog fits "search the web". Other words may find it.\n');
    expect(screen.stdout).not.toMatch(/cannot be run|mkt secrets set/);
    expect(piped.stderr).toBe(
      'Nothing in the catalog fits "search the web" well: the 1 result is what comes nearest.\n',
    );
  });

  test("names the key of what fits, which the hidden weak results are not compared with", async () => {
    await using service = await startStandIn(answering({ ...nothingFound, results: weak, unavailable }));

    const { stdout } = await runMkt(words, { ...service, tty: true });

    expect(stdout).toContain(
      'Nothing in the catalog that can be run now fits "search the web".\n\n3 matches cannot be run',
    );
    expect(stdout).not.toContain("better");
    expect(stdout).toContain(set);
  });

  test("says so, and what to try next", async () => {
    await using service = await startStandIn(answering(nothingFound));

    const { exitCode, stdout } = await runMkt(words, { ...service, tty: true });

    expect(exitCode).toBe(0);
    expect(stdout).toContain('Nothing in the catalog fits "search the web". Other words may find it.\n');
    expect(stdout).toContain("See what comes nearest: mkt discover search the web --min-score 0\n");
    expect(stdout).toContain("mkt catalog import --help");
  });

  test("says it on stderr where no terminal is, and leaves --json as it is", async () => {
    await using service = await startStandIn(answering(nothingFound));

    const piped = await runMkt(words, service);
    const json = await runMkt([...words, "--json"], service);

    expect(piped).toEqual({ exitCode: 0, stdout: "", stderr: 'Nothing in the catalog fits "search the web".\n' });
    expect([JSON.parse(json.stdout), json.stderr, json.exitCode]).toEqual([nothingFound, "", 0]);
  });

  test("does not speak of the whole catalog when it was filtered, and shows how it goes without", async () => {
    await using service = await startStandIn(answering(nothingFound));

    const { stdout } = await runMkt([...words, "--max-price", "0", "--min-score", "1"], { ...service, tty: true });

    expect(stdout).toContain('Nothing with these filters fits "search the web".');
    expect(stdout).toContain("Without the filters: mkt discover 'search the web'\n");
    expect(stdout).not.toContain("--min-score 0");
  });

  test("tells that there is something, but nothing that can be run", async () => {
    await using service = await startStandIn(answering({ ...nothingFound, unavailable }));

    const { stdout } = await runMkt(words, { ...service, tty: true });

    expect(stdout).toContain('Nothing in the catalog that can be run now fits "search the web".');
    expect(stdout).toContain("3 matches cannot be run now: brave/web");
    expect(stdout).toContain("mkt secrets set BRAVE_API_KEY");
    expect(stdout).not.toContain("Other words");
  });
});

describe("filters of mkt discover", () => {
  const nodes = { items: [{ id: "web-search", kind: "top", displayName: "W", endpointCount: 1, children: [] }] };
  const lists: StandInRoutes = {
    ...answering(nothingFound),
    "GET /public/v1/categories": { body: { ...nodes, totalEndpointCount: 1 } },
    "GET /public/v1/providers/atlas/endpoints": { body: { items: [], total: 1 } },
    "GET /public/v1/providers/atals/endpoints": {
      status: 404,
      body: { code: 404, message: 'Provider "atals" was not found; did you mean "atlas"?' },
    },
    "GET /public/v1/providers/pottery/endpoints": {
      status: 404,
      body: { code: 404, message: 'Provider "pottery" was not found' },
    },
  };

  test.each([
    [["--category", "web-serch"], 'No category is named "web-serch". Did you mean web-search?'],
    [["--category", "pottery"], 'No category is named "pottery". To see all: mkt categories'],
    [["--provider", "atals", "--provider", "atlas"], 'Provider "atals" was not found; did you mean "atlas"?'],
    [["--provider", "pottery"], 'Provider "pottery" was not found. To see all: mkt providers'],
  ])("%j: a name that nobody has is told with what is near", async (flags, sentence) => {
    await using service = await startStandIn(lists);

    const { exitCode, stderr } = await runMkt([...words, ...flags], service);

    expect(exitCode).toBe(0);
    expect(stderr).toContain(sentence);
  });

  test("a category that is there, and a provider with results, are not asked about further", async () => {
    await using service = await startStandIn({ ...lists, ...answering({ ...nothingFound, count: 1, results: [sun] }) });

    const { stderr } = await runMkt([...words, "--category", "web-search", "--provider", "atlas"], service);

    expect(stderr).toBe("");
    expect(service.requests.map(({ path }) => path)).toEqual(["/v1/discover"]);
  });

  test("--max-price 0 keeps what is free", async () => {
    await using service = await startStandIn(answering(nothingFound));

    await runMkt([...words, "--max-price", "0"], service);

    expect(service.requests[0]?.body).toMatchObject({ maxPrice: { value: 0, currency: "USD" } });
  });

  test.each([
    ["--max-price", "-1", "It must be at least 0 dollars."],
    ["--min-score", "2.1", "It must be from 0 to 2."],
    ["--limit", "0", "It must be a whole number above 0."],
    ["--mode", "slow", "Allowed choices are sync, async."],
  ])("%s %s is refused before anything is asked", async (flag, value, reason) => {
    await using service = await startStandIn({});

    const { exitCode, stderr } = await runMkt([...words, flag, value], service);

    expect(exitCode).toBe(2);
    expect(stderr).toContain(reason);
    expect(service.requests).toEqual([]);
  });
});

describe("mkt discover --explain", () => {
  const explanation = {
    words: [
      { word: "timezones", field: "name", weight: 0.314, as: "zone" },
      { word: "sun", field: "path", weight: 0.21 },
      { word: "sun", field: "tags", weight: 0.111 },
      { word: "sun", field: "parameters", weight: 0.001 },
    ],
    expanded: [{ word: "timezones", to: "zone", by: "parts" }],
    health: { status: "healthy" },
  };
  const found = { ...nothingFound, count: 1, results: [{ ...sun, explanation }] };

  test("asks for it, and shows words with their fields, what was expanded and what health did", async () => {
    await using service = await startStandIn(answering(found));

    const { stdout } = await runMkt([...words, "--explain"], { ...service, tty: true });

    expect(service.requests[0]?.body).toMatchObject({ explain: true });
    expect(stdout).toMatch(/"timezones" +as zone: name 0\.31\n/);
    expect(stdout).toMatch(/"sun" +path 0\.21, tags 0\.11\n/);
    expect(stdout).toMatch(/expanded +timezones → zone \(parts\)\n/);
    expect(stdout).toMatch(/health +healthy, no effect\n/);
  });

  test.each([
    [{ status: "unknown" }, "no runs to judge by, no effect"],
    [
      { status: "degraded", effect: { kind: "sunk", scoreBefore: 0.8, score: 0.6 } },
      "degraded, so it comes after healthy ones that fit as well",
    ],
    [{ status: "outage", effect: { kind: "last" } }, "in outage, so it comes last"],
  ])("says of %j: %s", async (health, sentence) => {
    const results = [{ ...sun, explanation: { ...explanation, health } }];
    await using service = await startStandIn(answering({ ...found, results }));

    const { stdout } = await runMkt([...words, "--explain"], { ...service, tty: true });

    expect(stdout).toMatch(new RegExp(`health +${sentence}\n`));
  });

  test("tells what services of the operator gave for a result, and which had no part in the answer", async () => {
    const results = [{ ...sun, explanation: { ...explanation, services: [{ name: "embeddings", score: 0.812 }] } }];
    const services = [
      { name: "embeddings", used: true },
      { name: "rerank", used: false, reason: "it did not answer within 800 ms" },
    ];
    await using service = await startStandIn(answering({ ...found, results, services }));

    const screen = await runMkt([...words, "--explain"], { ...service, tty: true });
    const piped = await runMkt([...words, "--explain"], service);

    expect(screen.stdout).toMatch(/services +embeddings 0\.81\n/);
    for (const text of [screen.stdout, piped.stderr]) {
      expect(text).toContain("The embedding service was used for this.\n");
      expect(text).toContain("The rerank service was not used: it did not answer within 800 ms.\n");
    }
  });

  test("leaves nothing out with --full", async () => {
    await using service = await startStandIn(answering(found));

    const { stdout } = await runMkt([...words, "--explain", "--full"], { ...service, tty: true });

    expect(stdout).toContain("parameters 0.00");
  });

  test("is in every line of JSON where no terminal is", async () => {
    await using service = await startStandIn(answering(found));

    const { stdout } = await runMkt([...words, "--explain"], service);

    expect(jsonLines(stdout)).toMatchObject([{ explanation }]);
  });
});
