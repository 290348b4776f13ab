import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mountDaemonCommands } from "../../bin/daemon-commands.ts";
import { answerCompletion } from "../../cli/answer-completion.ts";
import { startStandIn } from "../cli/stand-in-service.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { runMkt, TextSink } from "../support/run-cli.ts";
import { startTestDaemon } from "../support/start-daemon.ts";

interface Offered {
  words: string[];
  about: Record<string, string>;
  files: boolean;
  text: string;
}

/** What Tab offers behind this line; the line is what was typed up to the cursor. */
async function tab(home: MktHome, line: string, env: Record<string, string> = {}): Promise<Offered> {
  return await ask(home, ["--line", line], env);
}

async function ask(home: MktHome, words: readonly string[], env: Record<string, string> = {}): Promise<Offered> {
  const stdout = new TextSink();
  await answerCompletion(words, {
    io: {
      env: { ...home.environment, ...env },
      stdin: process.stdin,
      stdout,
      stderr: new TextSink(),
      isTty: { stdin: false, stdout: false, stderr: false },
      columns: 80,
      version: "0.1.0",
      selfCommand: [process.execPath, "-e", ""],
      onInterrupt: () => () => {},
    },
    programPath: process.execPath,
    mount: (program, context) => mountDaemonCommands(program, context, { version: "0.1.0", startedAtMs: 0 }),
  });
  const lines = stdout.text.split("\n").filter((one) => one !== "");
  const pairs = lines.filter((one) => one !== ":files").map((one) => one.split("\t") as [string, string?]);
  return {
    words: pairs.map(([word]) => word),
    about: Object.fromEntries(pairs.map(([word, about = ""]) => [word, about])),
    files: lines.includes(":files"),
    text: stdout.text,
  };
}

describe("what Tab offers", () => {
  test.each<[line: string, includes: string[]]>([
    ["mkt ", ["discover", "run", "runs", "daemon", "doctor", "completion", "profile"]],
    ["mkt dis", ["discover"]],
    ["mkt discover ", ["forget"]],
    ["mkt run", ["run", "runs"]],
    ["mkt daemon st", ["start", "stop", "status"]],
    ["mkt catalog ", ["check", "import"]],
    ["mkt profile ", ["list", "add", "use", "remove", "show"]],
    ["mkt discover --lim", ["--limit"]],
    ["mkt runs list --", ["--limit", "--json", "--profile"]],
    ["mkt --json whoami --wor", ["--workspace"]],
    ["mkt completion ", ["bash", "zsh", "fish"]],
    ["mkt completion f", ["fish"]],
    ["mkt --profile ", ["local"]],
    ["mkt --profile=l", ["--profile=local"]],
    ["mkt 'disc", ["discover"]],
  ])("%s", async (line, includes) => {
    using home = mktHome();

    const { words } = await tab(home, line);

    expect(words).toEqual(expect.arrayContaining(includes));
    const [typed = ""] = line.split(" ").slice(-1);
    expect(words.filter((word) => !word.startsWith(typed.replace("'", "")))).toEqual([]);
  });

  test("says in a few words what each is", async () => {
    using home = mktHome();

    const { about } = await tab(home, "mkt whoa");

    expect(about["whoami"]).toBe("Show who you are to the service, and the source of the address and key");
  });

  test.each([
    "mkt --output ",
    "mkt --key-file ",
    "mkt catalog check ",
    "mkt --data-dir x --output=",
    "mkt daemon backup ",
  ])("files behind %s", async (line) => {
    using home = mktHome();

    expect((await tab(home, line)).files).toBe(true);
  });

  test.each(["mkt discover rain ", "mkt --api-url ", "mkt discover --limit ", "mkt nonsense ", "mkt __complete "])(
    "nothing where nothing is known: %s",
    async (line) => {
      using home = mktHome();

      expect((await tab(home, line)).text).toBe("");
    },
  );

  test("no flags behind --", async () => {
    using home = mktHome();

    expect((await tab(home, "mkt discover -- --")).words).toEqual([]);
  });

  test("profiles by name", async () => {
    using home = mktHome();
    await runMkt(["profile", "add", "prod", "--api-url", "https://a.example", "--key-stdin"], {
      env: home.environment,
      stdin: "k1",
    });

    expect((await tab(home, "mkt profile use ")).words).toEqual(["local", "prod"]);
  });
});

describe("names of a service", () => {
  test("are those that answers told: endpoints of discover, runs that were made", async () => {
    using home = mktHome();
    await using daemon = await startTestDaemon({ home, bundled: true });
    const before = (await tab(home, "mkt inspect ")).words;

    await runMkt(["discover", "sunrise", "--limit", "3"], { env: home.environment });
    const run = await runMkt(["run", "atlas/sun", "latitude=1", "longitude=2", "--json"], { env: home.environment });
    const { runId } = JSON.parse(run.stdout) as { runId: string };

    expect(daemon.url).toContain("http");
    expect(before).toEqual([]);
    expect((await tab(home, "mkt inspect atlas/s")).words).toEqual(["atlas/sun"]);
    expect((await tab(home, "mkt run atlas/s")).words).toEqual(["atlas/sun"]);
    expect((await tab(home, "mkt endpoints --provider at")).words).toEqual(["atlas"]);
    expect((await tab(home, "mkt get-run ")).words).toEqual([runId]);
    expect((await tab(home, "mkt runs wait ")).words).toEqual([runId]);
  });

  test("are those of an endpoint's input, once it was looked at, and not twice", async () => {
    using home = mktHome();
    await using daemon = await startTestDaemon({ home, bundled: true });
    const before = (await tab(home, "mkt run atlas/sun ")).words;

    await runMkt(["inspect", "atlas/sun"], { env: home.environment });

    expect(daemon.url).toContain("http");
    expect(before).toEqual([]);
    expect((await tab(home, "mkt run atlas/sun l")).words).toEqual(["latitude=", "longitude="]);
    expect((await tab(home, "mkt quote atlas/sun latitude=1 --full l")).words).toEqual(["longitude="]);
    expect((await tab(home, "mkt run atlas/moon l")).words).toEqual([]);
  });

  test("are asked for in the background, in all pages, and kept apart for each service", async () => {
    using home = mktHome();
    const pages: Record<string, object> = {
      first: { items: [{ provider: "acme", endpoint: "/a" }], cursor: "second" },
      second: {
        items: [
          { provider: "acme", endpoint: "/b" },
          { provider: "zeta", endpoint: "/c/d" },
        ],
        cursor: null,
      },
    };
    await using service = await startStandIn({
      "GET /public/v1/endpoints": ({ query }) => ({ body: pages[query["cursor"] ?? "first"] }),
    });
    mkdirSync(home.configDir, { recursive: true });

    await ask(home, ["--refresh", "--api-url", service.url], { MKT_API_KEY: "k1" });

    const at = (line: string) => tab(home, line, { MKT_API_URL: service.url });
    expect((await at("mkt run ")).words).toEqual(["acme/", "zeta/"]);
    expect((await at("mkt run acme/")).words).toEqual(["acme/a", "acme/b"]);
    expect((await at("mkt run z")).words).toEqual(["zeta/c/d"]);
    expect((await tab(home, `mkt --api-url ${service.url} run z`)).words).toEqual(["zeta/c/d"]);
    expect((await tab(home, "mkt run ", { MKT_API_URL: "http://127.0.0.1:9" })).words).toEqual([]);
    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  });

  test("that a shell would not take as they are, are never offered", async () => {
    using home = mktHome();
    const hostile = ["/$(touch x)", "/a b", "/`id`", "/a;b", "/a\nb", "/{a,b}", "/\u001b[31m", "/fine"];
    await using service = await startStandIn({
      "GET /public/v1/endpoints": {
        body: { items: hostile.map((endpoint) => ({ provider: "acme", endpoint })), cursor: null },
      },
    });
    mkdirSync(home.configDir, { recursive: true });
    const env = { MKT_API_URL: service.url };

    await runMkt(["endpoints"], { env: { ...home.environment, ...env } });
    const learnt = (await tab(home, "mkt run acme/", env)).words;
    await ask(home, ["--refresh"], env);
    const asked = (await tab(home, "mkt run acme/", env)).words;

    expect([learnt, asked]).toEqual([["acme/fine"], ["acme/fine"]]);
  });

  test("are not kept where there is no configuration folder, and no command fails for it", async () => {
    using home = mktHome();
    await using daemon = await startTestDaemon({ bundled: true });
    const env = { ...home.environment, MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key };

    const { exitCode } = await runMkt(["discover", "sun"], { env });

    expect(exitCode).toBe(0);
    expect(existsSync(home.configDir)).toBe(false);
  });

  test("are in files that their owner alone can read", async () => {
    using home = mktHome();
    await using daemon = await startTestDaemon({ home, bundled: true });
    await runMkt(["discover", "sun"], { env: home.environment });
    await tab(home, "mkt run ");

    expect(daemon.url).toContain("http");
    const cache = join(home.configDir, "cache");
    expect(statSync(cache).mode & 0o077).toBe(0);
    expect(statSync(join(cache, "commands.json")).mode & 0o077).toBe(0);
  });
});

test("the tree of commands is kept for this very program, and built anew for another", async () => {
  using home = mktHome();
  mkdirSync(home.configDir, { recursive: true });
  const kept = join(home.configDir, "cache", "commands.json");

  await tab(home, "mkt dis");
  const { print, tree } = JSON.parse(readFileSync(kept, "utf8")) as { print: string; tree: { commands: object[] } };
  writeFileSync(kept, JSON.stringify({ print, tree: { ...tree, commands: [] } }));
  const fromFile = (await tab(home, "mkt dis")).words;
  writeFileSync(kept, JSON.stringify({ print: "another", tree: { ...tree, commands: [] } }));
  const rebuilt = (await tab(home, "mkt dis")).words;

  expect(fromFile).toEqual([]);
  expect(rebuilt).toEqual(["discover"]);
});

test.each([
  ["a profile that is gone", { MKT_PROFILE: "gone" }],
  ["an address that is none", { MKT_API_URL: "::" }],
])("nothing is said and nothing fails with %s", async (_what, env) => {
  using home = mktHome();

  expect((await tab(home, "mkt run ", env)).text).toBe("");
});
