import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mktHome } from "../support/mkt-home.ts";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon } from "../support/start-daemon.ts";

describe("a key that mkt wrote to a file", () => {
  test.each([
    ["the whole answer", []],
    ["the key alone, picked by --jq", ["--jq", ".key"]],
    ["the key alone, picked by --fields", ["--fields", "key"]],
  ])("is taken by --key-file, by login and by --key-stdin: %s", async (_, words) => {
    using home = mktHome();
    await using daemon = await startTestDaemon({ home });
    const file = join(home.path, "ada.key");
    const run = (args: readonly string[], stdin = "") => runMkt(args, { env: home.environment, stdin });

    const made = await run(["keys", "create", "--label", "ada", ...words, "-o", file]);
    const asked = await run(["whoami", "--key-file", file, "--api-url", daemon.url, "--json"]);
    const loggedIn = await run(["login", "ada", "--api-url", daemon.url, "--key-file", file]);
    const byProfile = await run(["whoami", "--profile", "ada", "--json"]);

    expect(made.exitCode, made.stderr).toBe(0);
    expect(asked.exitCode, asked.stderr).toBe(0);
    expect(loggedIn.exitCode, loggedIn.stderr).toBe(0);
    expect(byProfile.exitCode, byProfile.stderr).toBe(0);
    expect(JSON.parse(byProfile.stdout)).toEqual(JSON.parse(asked.stdout));
  });

  test("is taken from standard input as it was written", async () => {
    using home = mktHome();
    await using daemon = await startTestDaemon({ home });
    const run = (args: readonly string[], stdin = "") => runMkt(args, { env: home.environment, stdin });

    const { stdout } = await run(["keys", "create", "--label", "ada", "--json"]);
    const loggedIn = await run(["login", "ada", "--api-url", daemon.url, "--key-stdin"], stdout);

    expect(loggedIn.exitCode, loggedIn.stderr).toBe(0);
  });

  test("is asked for where the file holds another thing, of which nothing is said", async () => {
    using home = mktHome();
    const file = join(home.path, "other.json");
    writeFileSync(file, '{"password": "hunter2-and-more"}');

    const { exitCode, stderr } = await runMkt(["whoami", "--key-file", file, "--api-url", "http://127.0.0.1:9"], {
      env: home.environment,
    });

    expect(exitCode).toBe(5);
    expect(stderr).toContain("must contain one API key");
    expect(stderr).not.toContain("hunter2");
  });
});
