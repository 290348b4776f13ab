import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command as CommanderCommand } from "commander";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mountDaemonCommands } from "../../bin/daemon-commands.ts";
import { processIo } from "../../cli/core/cli-io.ts";
import { Command } from "../../cli/command/command.ts";
import { Invocation } from "../../cli/invocation.ts";
import { createProgram, type Mount } from "../../cli/program.ts";
import { runMkt } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import { openScene, type Scene } from "./every-command/scene.ts";
import { exampleTells } from "./example-tells.ts";

/** Examples that this test does not type, and why. */
const elsewhere: Readonly<Record<string, string>> = {
  "daemon start": "starts a process of its own: test/daemon",
  "daemon stop": "ends a process of its own: test/daemon",
  "daemon logs": "reads what a background daemon wrote: test/cli/daemon-logs.test.ts",
  "daemon run": "is the daemon itself: test/daemon",
  "daemon reset-owner-key": "works on a stopped daemon's folder: test/daemon/owner-key.test.ts",
  "daemon migrate": "works on a stopped daemon's data and a database: test/offline/migrate-command.test.ts",
  daemon: "is the daemon itself: test/daemon",
  "catalog import": "two of them ask a host on the internet: test/import",
  "catalog export": "one of them reads the catalog beside the built program: test/export",
  profile: "names deployments that are not there: test/profiles",
  login: "asks a deployment that is not there: test/profiles",
  connect: "waits for a person in a browser: test/connections",
  "catalog add-market": "asks another market: test/docs/markets.test.ts",
  "webhooks resend": "needs a delivery that has died: test/docs/webhooks.test.ts",
  "catalog drift": "compares with what was imported: test/import",
};

/** Where an id stands in an example: what makes one that fits. */
const ids: Readonly<Record<string, string>> = {
  "get-run": "{done}",
  "runs wait": "{done}",
  "runs controls": "{done}",
  "runs stop": "{going}",
  stop: "{going}",
  release: "{resource}",
  "resources get": "{resource}",
  "resources events": "{resource}",
  "resources release": "{resource}",
  budgets: "{budget}",
  "budgets delete": "{newbudget}",
  schedules: "{schedule}",
  webhooks: "{webhook}",
  "webhooks delete": "{newwebhook}",
  caps: "{cap}",
  "caps delete": "{newcap}",
  approvals: "{waiting}",
  "approvals rules get": "{rule}",
  "approvals rules update": "{rule}",
  "approvals rules pause": "{rule}",
  "approvals rules resume": "{rule}",
  "approvals rules delete": "{newrule}",
};

const mount: Mount = (program, context) => mountDaemonCommands(program, context, { version: "0.1.0", startedAtMs: 0 });

interface Example {
  readonly path: string;
  readonly line: string;
}

let scene: Scene;
const folder = tempDir();
const startFolder = process.cwd();

beforeAll(async () => {
  scene = await openScene();
  layOutFiles(folder.path);
  process.chdir(folder.path);
  await scene.daemon.request("POST", "/v1/admin/workspaces", { name: "Research", slug: "research" });
});

afterAll(async () => {
  process.chdir(startFolder);
  folder[Symbol.dispose]();
  await scene[Symbol.asyncDispose]();
});

const program = await createProgram(new Invocation(processIo("0.1.0"), []), mount);
const ours = commandsBelow(program);

/** Of commands that take more than a screen has room for: their lines, so that no other becomes one of them unseen. */
const longHelps: Readonly<Record<string, number>> = {
  "catalog import": 34,
  "daemon run": 32,
  "catalog drift": 28,
  discover: 31,
  "catalog test": 29,
  "schedules create": 38,
  "schedules update": 44,
  batch: 34,
  run: 30,
  quote: 27,
  catalog: 25,
  "catalog add-market": 30,
};

describe("the help", () => {
  test.each(ours)("of mkt $path begins with what it does and an example", async ({ path }) => {
    const { exitCode, stdout } = await runMkt([...path.split(" ").filter(Boolean), "--help"], { mount });

    const sections = stdout.split("\n\n").map((section) => section.split("\n")[0]);
    expect(exitCode).toBe(0);
    expect(sections[0]).toMatch(/^Usage: mkt/);
    expect(sections[1]).toMatch(/^Examples?:$/);
  });

  test.each(ours)("of mkt $path fits a screen of 80 columns and 24 lines, or nearly", async ({ path }) => {
    const { stdout } = await runMkt([...path.split(" ").filter(Boolean), "--help"], { mount, tty: true });

    // The last line is empty, and on it stands the prompt. What is to be pasted is in one line, which a terminal wraps.
    const rows = stdout.split("\n").reduce((sum, { length }) => sum + Math.max(1, Math.ceil(length / 80)), 0);
    expect(rows).toBeLessThanOrEqual(longHelps[path] ?? 24);
    expect(stdout).not.toContain("--no-color");
    expect(stdout).toContain("mkt help");
  });

  test("of mkt names every command, and where the flags and the exit codes stand", async () => {
    const { stdout } = await runMkt(["--help"], { mount, tty: true });

    for (const { command, path } of ours.filter((one) => one.command.parent === program)) {
      expect(stdout, path).toMatch(new RegExp(`\\b${command.name()}\\b`));
    }
    expect(stdout).toContain("mkt help commands, flags, exit-codes, environment");
  });

  test.each<[page: string, shown: readonly string[]]>([
    ["commands", ours.filter(({ command }) => command.parent === program).map(({ path }) => `  ${path}`)],
    ["flags", ["--json", "--jsonl", "--fields", "--jq", "--quiet", "--no-input", "--yes", "--debug", "--profile"]],
    ["exit-codes", ["  0  data delivered", " 11  rate limited", " 65  damaged data"]],
    ["environment", ["MKT_STARTING_CREDIT", "MKT_RATE_LIMIT"]],
  ])("mkt help %s has it all", async (page, shown) => {
    const { exitCode, stdout } = await runMkt(["help", page], { mount, tty: true });

    expect(exitCode).toBe(0);
    for (const text of shown) expect(stdout).toContain(text);
    if (page === "flags" || page === "exit-codes") expect(stdout.split("\n").length).toBeLessThanOrEqual(24);
  });

  test.each([
    ["help runs list", 0, "Usage: mkt runs list"],
    ["help", 0, "Usage: mkt [options]"],
    ["runs help list", 0, "Usage: mkt runs list"],
    ["help exit-code", 2, "Did you mean exit-codes?\n  next: mkt help exit-codes"],
    ["help runs lsit", 2, "Did you mean list?\n  next: mkt runs list --help"],
    ["help flags more", 2, "unknown command 'flags'"],
  ])("mkt %s ends with %i", async (line, exitCode, shown) => {
    const outcome = await runMkt(line.split(" "), { mount });

    expect(outcome.exitCode).toBe(exitCode);
    expect(exitCode === 0 ? outcome.stdout : outcome.stderr).toContain(shown);
  });
});

describe("each example does what it shows", () => {
  const examples: Example[] = ours.flatMap(({ command, path }) =>
    command instanceof Command && !isElsewhere(path)
      ? command.exampleLines.filter((line) => !line.includes("--live --record")).map((line) => ({ path, line }))
      : [],
  );

  test.each(examples)("$line", async ({ path, line }) => {
    await lookReady(line);
    const { words, stdin } = readLine(await withRealNames(path, line));

    const outcome = await runMkt(words, { env: placesOf(scene), stdin, mount });

    expect({ ...outcome, stdout: outcome.stdout.slice(0, 500) }).toMatchObject({ exitCode: 0 });
    expect(outcome.stdout + outcome.stderr).toMatch(exampleTells[line] ?? exampleTells[path] ?? /an entry of its own/);
    if (/ --json\b/.test(line)) expect(() => JSON.parse(outcome.stdout) as unknown).not.toThrow();
  });

  test("what they tell is written for examples that there are", () => {
    const known = new Set(examples.flatMap(({ path, line }) => (line in exampleTells ? [line] : [path])));

    expect(Object.keys(exampleTells).filter((name) => !known.has(name))).toEqual([]);
  });

  test("those that are not typed here are of commands that there are", () => {
    const paths = ours.map(({ path }) => path);

    expect(Object.keys(elsewhere).filter((path) => !paths.includes(path))).toEqual([]);
  });
});

function commandsBelow(
  command: CommanderCommand,
  path: readonly string[] = [],
): { path: string; command: CommanderCommand }[] {
  const below = command.commands.filter((one) => one.name() !== "help");
  return [{ path: path.join(" "), command }, ...below.flatMap((one) => commandsBelow(one, [...path, one.name()]))];
}

function isElsewhere(path: string): boolean {
  return Object.keys(elsewhere).some((left) => path === left || (left === "profile" && path.startsWith("profile ")));
}

/** The line with an id that fits, and a provider that is there. */
async function withRealNames(path: string, line: string): Promise<string> {
  const [group = ""] = path.split(" ");
  const [id = ""] = await scene.wordsOf(ids[path] ?? ids[group] ?? "");
  return line.replace("01JV8Z…", id).replace(/(?:team-acme team-)?skywatch( --yes)?$/, "shop$1");
}

/** What a line takes for granted. */
async function lookReady(line: string): Promise<void> {
  const { request } = scene.daemon;
  if (/^mkt keys (?:get|rename|revoke) ci\b/.test(line)) await request("POST", "/v1/api-keys", { label: "ci" });
  if (line.includes("keys create --label ci")) await request("POST", "/v1/api-keys/ci/revoke");
  if (line.startsWith("mkt catalog revoke")) await request("POST", "/v1/admin/grants", { provider: "shop" });
  if (line.startsWith("mkt connections")) await scene.wordsOf("{account}");
  if (line.startsWith("mkt secrets remove")) await request("PUT", "/v1/admin/secrets/ACME_API_KEY", { value: "s" });
}

/** The words and the standard input that a shell gives to mkt. */
function readLine(line: string): { words: string[]; stdin: string } {
  const script = `mkt() { { printf '%s\\0' "$@"; printf '\\0'; cat; } >&3; }\n${line}`;
  const { output, status } = spawnSync("sh", ["-c", script], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    encoding: "utf8",
    env: { ...process.env, HOME: folder.path },
  });
  if (status !== 0) throw new Error(`the shell cannot read: ${line}`);
  const told = output[3] ?? "";
  const end = told.indexOf("\0\0");
  return { words: told.slice(0, end).split("\0"), stdin: told.slice(end + 2) };
}

function placesOf({ home }: Scene): Record<string, string> {
  return { MKT_DATA_DIR: home.dataDir, MKT_CONFIG_DIR: home.configDir, HOME: folder.path };
}

/** The files that the examples name. */
function layOutFiles(path: string): void {
  const manifest = {
    mkt: 1,
    provider: "skywatch",
    displayName: "Skywatch",
    http: { baseUrl: "https://skywatch.example" },
    endpoints: {
      "/forecast/{city}": {
        description: "Tomorrow's weather of a city.",
        request: { method: "GET", path: "/forecast/{city}" },
        input: { pathParams: { properties: { city: { type: "string" } }, required: ["city"] } },
        price: { type: "FREE" },
        examples: [{ name: "Oslo", input: { city: "Oslo" }, response: { status: 200, body: { rain: 1 } } }],
      },
    },
  };
  writeFileSync(join(path, "key.txt"), "s3cret\n");
  writeFileSync(join(path, "countries.csv"), "id,country\n1,Portugal\n2,Spain\n");
  writeFileSync(join(path, "skywatch.yaml"), JSON.stringify(manifest));
  cpSync(join(path, "skywatch.yaml"), join(path, "skywatch.before.yaml"));
  for (const name of ["my-providers", "catalog-of-may", "catalog"]) {
    mkdirSync(join(path, name));
    cpSync(join(path, "skywatch.yaml"), join(path, name, "skywatch.yaml"));
  }
}
