import { once } from "node:events";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { jsonLines, lastLine, runMkt } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import { aRun, startStandIn, sunEndpoint, type StandInRequest, type StandInRoutes } from "./stand-in-service.ts";

const runIds = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => ({ ...aRun(), runId: `R${from + at}` }));

/** Three pages of two runs each. */
function pageOfRuns({ query }: StandInRequest) {
  const start = Number(query["cursor"] ?? 0);
  const cursor = start + 2 < 6 ? String(start + 2) : undefined;
  return { body: { items: runIds(2, start), ...(cursor !== undefined && { cursor }) } };
}

const routes: StandInRoutes = {
  "GET /v1/runs": pageOfRuns,
  "GET /v1/runs/01RUN": { body: aRun({ output: { name: "Lisboa", big: 9007199254740991 } }) },
  "POST /v1/run": { body: aRun({ output: { name: "Lisboa" } }) },
  "POST /v1/inspect": { body: sunEndpoint },
  "GET /v1/runs/export": { headers: { "content-type": "text/csv" }, text: "runId\r\n01RUN\r\n" },
  "GET /v1/wallet/balance": { body: { balance: { value: 1.5, currency: "USD" }, held: { value: 0, currency: "USD" } } },
  "GET /v1/controls/workspace/budgets": { body: { items: [], cursor: null } },
};

const mkt = async (line: string, options: { tty?: boolean; env?: Record<string, string> } = {}) => {
  await using service = await startStandIn(routes);
  const { env, ...others } = options;
  const outcome = await runMkt(line.split(" "), { env: { ...service.env, ...env }, ...others });
  return { ...outcome, requests: service.requests };
};

describe("--fields", () => {
  test.each([true, false])("prints those members of each item, one line each, terminal or not (%s)", async (tty) => {
    const { stdout } = await mkt("runs --fields runId,cost.value", { tty });

    expect(stdout).toBe('{"runId":"R0","cost":{"value":0.001}}\n{"runId":"R1","cost":{"value":0.001}}\n');
  });

  test("with --json leaves the page as it is around them", async () => {
    const { stdout } = await mkt("runs --fields runId --json");

    expect(JSON.parse(stdout)).toEqual({ items: [{ runId: "R0" }, { runId: "R1" }], cursor: "2" });
  });

  test("prints those members of one answer", async () => {
    const { stdout } = await mkt("get-run 01RUN --fields status,output.name");

    expect(stdout).toBe('{"status":"COMPLETED","output":{"name":"Lisboa"}}\n');
  });

  test("that name nothing are refused, with what is near and what there is", async () => {
    const { exitCode, stdout, stderr } = await mkt("runs --fields rundId --json");

    const error = JSON.parse(lastLine(stderr));
    expect(exitCode).toBe(2);
    expect(stdout).toBe("");
    expect(error.message).toContain('There is no field "rundId". Did you mean runId? There are: runId, provider,');
    expect(error.next).toBe("mkt runs --help");
  });

  test("of which one names nothing print the others, and say so", async () => {
    const { exitCode, stdout, stderr } = await mkt("get-run 01RUN --fields status,costs");

    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '{"status":"COMPLETED"}\n' });
    expect(stderr).toContain('There is no field "costs". Did you mean cost?');
  });

  test("of an empty list are nothing", async () => {
    expect(await mkt("budgets --fields nothing")).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  });

  test("that name nothing in a run that was made say where the run is", async () => {
    const { exitCode, stderr } = await mkt("run atlas/sun --fields nothing");

    expect(exitCode).toBe(2);
    expect(lastLine(stderr)).toBe("  next: mkt get-run 01RUN");
  });
});

describe("--jq", () => {
  test.each([
    [".output.name", "Lisboa\n"],
    [".output", '{"name":"Lisboa","big":9007199254740991}\n'],
    [".cost.value", "0.001\n"],
    [".output.big", "9007199254740991\n"],
    [".nothing", "null\n"],
    ["empty", ""],
    [".output|keys[]", "big\nname\n"],
  ])("%s: a text as it is, everything else as JSON, one a line", async (expression, printed) => {
    expect(await mkt(`get-run 01RUN --jq ${expression}`)).toMatchObject({ exitCode: 0, stdout: printed });
  });

  test("reads of a list what --json prints, and with --jsonl each item", async () => {
    const whole = await mkt("runs --jq .items|length");
    const each = await mkt("runs --jsonl --jq .runId");

    expect(whole.stdout).toBe("2\n");
    expect(each.stdout).toBe("R0\nR1\n");
  });

  test("comes after --fields", async () => {
    expect((await mkt("get-run 01RUN --fields status --jq keys")).stdout).toBe('["status"]\n');
  });

  test.each([[".["], ["nofunction"], ["1 +"]])(
    "%s cannot be read: refused in jq's words before anything is asked",
    async (expression) => {
      await using service = await startStandIn(routes);

      const { exitCode, stdout, stderr } = await runMkt(["run", "atlas/sun", "--jq", expression], service);

      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
      expect(stderr).toContain(`error: jq cannot do '${expression}': `);
      expect(service.requests).toEqual([]);
    },
  );

  test("that fails on the answer prints nothing, and says where the run is", async () => {
    const { exitCode, stdout, stderr } = await mkt("run atlas/sun --jq .status.x");

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(`jq cannot do '.status.x': Cannot index string with string ("x").`);
    expect(lastLine(stderr)).toBe("  next: mkt get-run 01RUN");
  });

  test("lets no escape sequence of an output reach a terminal, and leaves it as it is for a pipe", async () => {
    await using service = await startStandIn({ "GET /v1/runs/01RUN": { body: aRun({ output: "\u001b[2Jx" }) } });
    const words = ["get-run", "01RUN", "--jq", ".output"];

    expect((await runMkt(words, { ...service, tty: true })).stdout).toBe("x\n");
    expect((await runMkt(words, service)).stdout).toBe("\u001b[2Jx\n");
  });
});

describe("--jsonl", () => {
  test("prints a list as lines, also on a terminal", async () => {
    const { stdout } = await mkt("runs --jsonl", { tty: true });

    expect(jsonLines(stdout)).toEqual(runIds(2));
  });

  test("and --json exclude each other", async () => {
    expect(await mkt("runs --jsonl --json")).toMatchObject({ exitCode: 2, stdout: "", requests: [] });
  });
});

describe("--all", () => {
  test("prints every page, item by item", async () => {
    const { stdout, stderr, requests } = await mkt("runs --all");

    expect(jsonLines(stdout)).toEqual(runIds(6));
    expect(stderr).toBe("");
    expect(requests.map(({ query }) => query)).toEqual([
      { limit: "100" },
      { limit: "100", cursor: "2" },
      { limit: "100", cursor: "4" },
    ]);
  });

  test("with --json is one page with all items, and no cursor", async () => {
    const { stdout } = await mkt("runs --all --limit 2 --json");

    expect(JSON.parse(stdout)).toEqual({ items: runIds(6) });
  });

  test("with --jq reads that page", async () => {
    expect((await mkt("runs --all --jq .items|length")).stdout).toBe("6\n");
  });

  test("on a terminal is one table", async () => {
    const { stdout } = await mkt("runs --all", { tty: true });

    for (const { runId } of runIds(6)) expect(stdout).toContain(runId);
  });

  test("ends when a service gives the same cursor again and again", async () => {
    await using service = await startStandIn({ "GET /v1/runs": { body: { items: runIds(1), cursor: "same" } } });

    const { exitCode, stderr } = await runMkt(["runs", "--all"], service);

    expect(exitCode).toBe(1);
    expect(stderr).toContain("the same cursor twice");
    expect(service.requests).toHaveLength(2);
  });
});

describe("-o", () => {
  test.each<[string, string, string]>([
    ["one answer, indented", "wallet", '{\n  "balance": {\n    "value": 1.5,'],
    ["a run's output alone", "get-run 01RUN", '{\n  "name": "Lisboa",'],
    ["a page, indented", "runs", '{\n  "items": ['],
    ["what --jq makes of it", "get-run 01RUN --jq .output.name", "Lisboa\n"],
    ["what --fields leaves of it", "get-run 01RUN --fields status", '{"status":"COMPLETED"}\n'],
    ["lines with --jsonl", "runs --jsonl --fields runId", '{"runId":"R0"}\n{"runId":"R1"}\n'],
    ["lines of all pages", "runs --jsonl --all --fields runId", '{"runId":"R0"}\n{"runId":"R1"}\n{"runId":"R2"}'],
    ["text", "runs export", "runId\r\n01RUN\r\n"],
  ])("takes %s, and stdout stays empty", async (_what, line, written) => {
    using folder = tempDir();
    const file = join(folder.path, "data");

    const { exitCode, stdout, stderr } = await mkt(`${line} -o ${file}`);

    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "" });
    expect(readFileSync(file, "utf8").slice(0, written.length)).toBe(written);
    expect(stderr).toContain(`bytes to ${file}`);
  });

  test.each([
    ["in a folder that is not there", "none/data", "no such file or directory"],
    ["that is a folder", ".", "it is a folder"],
    ["that is a link into a folder that is not there", "dangling", "no such file or directory"],
    ["that is a link to itself", "loop", "ELOOP"],
  ])("a file %s is refused before anything is asked for, or paid", async (_what, name, why) => {
    using folder = tempDir();
    const file = join(folder.path, name);
    symlinkSync("none/data", join(folder.path, "dangling"));
    symlinkSync("loop", join(folder.path, "loop"));

    const { exitCode, stderr, requests } = await mkt(`run atlas/sun -o ${file}`);

    expect(exitCode).toBe(5);
    expect(stderr).toContain(`${file} cannot be written: `);
    expect(stderr).toContain(why);
    expect(requests).toEqual([]);
  });

  test.each([true, false])("- prints the data alone, terminal or not (%s)", async (tty) => {
    const { stdout, stderr } = await mkt("run atlas/sun -o -", { tty });

    expect(stdout).toBe('{\n  "name": "Lisboa"\n}\n');
    expect(stderr).not.toContain("bytes");
  });

  test("- changes nothing with --json: the answer is one value", async () => {
    const { stdout } = await mkt("get-run 01RUN --json -o -");

    expect(JSON.parse(stdout)).toMatchObject({ runId: "01RUN", output: { name: "Lisboa" } });
  });

  test("that gets nothing says so", async () => {
    await using service = await startStandIn({
      "GET /v1/runs/01RUN": { body: aRun({ status: "FAILED", output: null, error: "no" }) },
    });
    using folder = tempDir();
    const file = join(folder.path, "data");

    const { exitCode, stderr } = await runMkt(["get-run", "01RUN", "-o", file], service);

    expect(exitCode).toBe(1);
    expect(stderr).toContain(`Nothing was written to ${file}`);
  });
});

test("--jq for the items of a list, given to the page, says why nothing came", async () => {
  const page = await mkt("runs --jq .runId --limit 2");
  const items = await mkt("runs --jq .runId --jsonl --limit 2");

  expect(page.stdout).toBe("null\n");
  expect(page.stderr).toContain("--jq gets the whole answer, whose list is .items. With --jsonl it gets each item.");
  expect(items.stdout).toBe("R0\nR1\n");
  expect(items.stderr).not.toContain("--jq gets");
});

test("--fields and --jq are refused where text is printed", async () => {
  const { exitCode, stderr } = await mkt("runs export --jq .x");

  expect(exitCode).toBe(2);
  expect(stderr).toContain("--fields and --jq are for JSON");
});

test("an answer that nobody will read is let go of, however long it is", async () => {
  let closed: Promise<unknown> | undefined;
  await using service = await startStandIn({
    "GET /v1/runs/export": (_request, response) => {
      closed = once(response, "close");
      response.writeHead(200, { "content-type": "text/csv" }).write("x".repeat(1_000_000));
      return undefined as never;
    },
  });

  const { exitCode } = await runMkt(["runs", "export", "--jq", ".x"], service);

  await closed;
  expect(exitCode).toBe(2);
});

describe("--debug", () => {
  test("tells each request with status, time and request id on stderr, never the key", async () => {
    const { exitCode, stdout, stderr } = await mkt("runs --debug --quiet --limit 2");

    expect(exitCode).toBe(0);
    expect(jsonLines(stdout)).toEqual(runIds(2));
    expect(stderr).toMatch(/^GET http:\/\/127\.0\.0\.1:\d+\/v1\/runs\?limit=2: 200 \(request req-1\) in \d+ ms\n$/);
    expect(stderr).not.toContain("mkt_test_key");
  });

  test("tells that no answer came, and leaves the error as the last line with --json", async () => {
    const { exitCode, stderr } = await runMkt(["runs", "--debug", "--json"], {
      env: { MKT_API_URL: "http://127.0.0.1:9", MKT_API_KEY: "k" },
    });

    expect(exitCode).toBe(9);
    expect(stderr).toContain("GET http://127.0.0.1:9/v1/runs?limit=30: no answer in ");
    expect(JSON.parse(lastLine(stderr))).toMatchObject({ code: 0 });
  });
});

describe("in an agent's environment", () => {
  const agents: Record<string, string>[] = [
    { CLAUDECODE: "1" },
    { CODEX_SANDBOX: "seatbelt" },
    { CURSOR_AGENT: "1" },
    { GEMINI_CLI: "1" },
  ];

  test.each(agents)("data is the same: %j", async (env) => {
    const [people, agent] = await Promise.all([mkt("runs"), mkt("runs", { env })]);

    expect(agent.stdout).toBe(people.stdout);
  });

  test.each(agents)("a screen has no colours: %j", async (env) => {
    const { stdout } = await mkt("runs", { env, tty: true });

    expect(stdout).toContain("R0");
    expect(stdout).not.toContain("\u001b");
  });

  test("a person who has Codex installed is none", async () => {
    const env = { CODEX_HOME: "/home/ada/.codex", FORCE_COLOR: "" };

    const { stderr } = await mkt("nothing", { env, tty: true });

    expect(stderr).toContain("\u001b[31merror");
  });

  test("a long output comes with a word on how to get less of it", async () => {
    await using service = await startStandIn({ "GET /v1/runs/01RUN": { body: aRun({ output: "x".repeat(60_000) }) } });
    const env = { ...service.env, CLAUDECODE: "1" };

    const long = await runMkt(["get-run", "01RUN"], { env });
    const short = await runMkt(["get-run", "01RUN", "--fields", "status"], { env });

    expect(long.stderr).toMatch(/That was \d+ bytes\. For less: --fields a,b\.c, --jq <expression>/);
    expect(short.stderr).not.toContain("bytes");
  });
});
