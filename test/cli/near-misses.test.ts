import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startTestDaemon({ bundled: true });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
});

const mkt = (line: string) => runMkt(line.split(" "), { env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key } });

describe("what is mistyped is named with what is near", () => {
  test.each<[what: string, line: string, exitCode: number, near: string]>([
    ["a command", "discovr rain", 2, "Did you mean discover?"],
    ["a command in a group", "runs exprot", 2, "Did you mean export?"],
    ["a flag", "runs --limt 3", 2, "Did you mean --limit?"],
    ["a flag of every command", "runs --quite", 2, "Did you mean --quiet?"],
    ["an endpoint", "inspect atlas/contries", 8, "/countries"],
    ["an endpoint to run", "run atlas/contries", 8, "/countries"],
    ["a provider", "inspect atls/countries", 8, "atlas"],
    ["a provider of a list", "endpoints --provider atls", 0, "atlas"],
    ["a provider of runs", "runs --provider atls", 0, "atlas"],
    ["a provider of a discovery", "discover sun --provider atls", 0, "atlas"],
    ["a category", "endpoints --category astronmy", 0, "Did you mean astronomy?"],
    ["a category of the tree", "categories --category astronmy", 0, "Did you mean astronomy?"],
    ["a field of the input", "run atlas/countries serach=Portugal", 5, "search"],
    ["a field of the answer", "wallet --fields balanse", 2, "Did you mean balance?"],
    ["a route", "api GET /v1/walet/balance", 8, "Did you mean GET /v1/wallet/balance"],
    ["a setting", "settings set discoverFlor=1", 5, "Did you mean discoverFloor"],
    ["a setting of a group", "settings set health.freshMinute=1", 5, "Did you mean health.freshMinutes"],
  ])("%s: mkt %s", async (_what, line, exitCode, near) => {
    const outcome = await mkt(line);

    expect(outcome.exitCode, outcome.stderr).toBe(exitCode);
    expect(outcome.stderr).toContain(near);
    if (exitCode !== 0) expect(outcome.stderr).toMatch(/\n {2}next: \S/);
  });
});

describe("the command that is named next shows something", () => {
  test.each([
    ["inspect atls/countries", "mkt endpoints --provider atlas"],
    ["run atls/countries", "mkt endpoints --provider atlas"],
    ["quote atls/countries", "mkt endpoints --provider atlas"],
    ["inspect xyzzy/countries", "mkt providers"],
    ["inspect atlas/contries", "mkt endpoints --provider atlas"],
    ["usage --workspace deflt", "mkt workspaces"],
  ])("mkt %s", async (line, next) => {
    const { stderr } = await mkt(line);
    const { stdout } = await mkt(next.slice("mkt ".length));

    expect(stderr).toContain(`\n  next: ${next}\n`);
    expect(stdout).not.toBe("");
  });

  test("a workspace of the environment that nobody has is not asked for again", async () => {
    const env = { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key, MKT_WORKSPACE: "deflt" };

    const { stderr } = await runMkt(["usage"], { env });

    expect(stderr).toContain("\n  next: unset MKT_WORKSPACE\n");
  });

  test.each(["discover sun --provider atls", "discover sun --category astronmy"])(
    "a filter that is mistyped is not kept: mkt %s",
    async (line) => {
      const env = { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key };

      const { stdout } = await runMkt(line.split(" "), { env, tty: true });

      expect(stdout).toContain("Without the filters: mkt discover sun\n");
      expect(stdout).not.toContain(`mkt ${line} --min-score`);
    },
  );
});

test("mkt inspect --full shows what a run gives, where its author wrote it", async () => {
  await using service = await startTestDaemon({
    manifests: {
      skywatch: {
        displayName: "Skywatch",
        http: { baseUrl: "https://skywatch.example" },
        schemas: { Day: { type: "object", properties: { rain: { type: "number" } } } },
        endpoints: {
          "/days": {
            description: "The weather of the next days.",
            request: { method: "GET", path: "/days" },
            price: { type: "FREE" },
            output: { schema: { type: "array", items: { $ref: "#/schemas/Day" } } },
          },
        },
      },
    },
  });
  const env = { MKT_API_URL: service.url, MKT_API_KEY: service.key };

  const { stdout } = await runMkt(["inspect", "skywatch/days", "--jq", ".output.schema"], { env });
  const short = await runMkt(["inspect", "skywatch/days"], { env, tty: true });
  const full = await runMkt(["inspect", "skywatch/days", "--full"], { env, tty: true });

  expect(JSON.parse(stdout)).toEqual({
    type: "array",
    items: { $ref: "#/$defs/Day" },
    $defs: { Day: { type: "object", properties: { rain: { type: "number" } } } },
  });
  expect(short.stdout).toContain("its whole schema: --full");
  expect(full.stdout).toContain('"rain": {');
});

test("nothing is near to a word that is empty: of scopes, the shortest one is all of them", async () => {
  const { exitCode, stderr } = await mkt("keys create --label x --scope ");

  expect(exitCode).toBe(5);
  expect(stderr).toContain("scopes[0]: must be one of");
  expect(stderr).not.toContain("did you mean");
});
