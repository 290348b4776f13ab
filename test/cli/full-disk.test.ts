import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { type MktOutcome, spawnMkt } from "../support/spawn-mkt.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

describe.skipIf(!existsSync("/dev/full"))("an answer that cannot be written: a full disk", () => {
  let market: TestDaemon;
  let home: MktHome;
  const sun = ["run", "atlas/sun", "latitude=38.7", "longitude=-9.1", "date=2026-06-21"];

  beforeAll(async () => {
    market = await startTestDaemon({ bundled: true });
    home = mktHome();
  });
  afterAll(async () => {
    await market[Symbol.asyncDispose]();
    home[Symbol.dispose]();
  });

  function mkt(words: readonly string[], redirect = ""): Promise<MktOutcome> {
    const environment = { MKT_API_URL: market.url, MKT_API_KEY: market.key };
    const shellLine = redirect === "" ? {} : { shellLine: `exec ${redirect}` };
    return spawnMkt(words, { home, environment, ...shellLine });
  }

  test.each([
    ["-o /dev/full", ["-o", "/dev/full"], "", 5],
    ["stdout on a full disk", [], ">/dev/full", 1],
    ["--json on a full disk", ["--json"], ">/dev/full", 1],
  ])("%s after a paid run: the result is kept, and the error says where", async (_what, flags, redirect, code) => {
    const failed = await mkt([...sun, ...flags], redirect);

    expect(failed.code).toBe(code);
    expect(failed.stderr).toContain("ENOSPC");
    const [, runId = ""] = /The result is stored with run (\w+);/.exec(failed.stderr) ?? [];
    expect(failed.stderr).toContain(`mkt get-run ${runId} -o <file>`);
    expect(failed.stderr).toMatch(new RegExp(`COMPLETED · \\$0\\.001 · .* · run ${runId}`));
    const path = join(home.path, `${runId}.json`);
    expect((await mkt(["get-run", runId, "-o", path])).code).toBe(0);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ date: "2026-06-21" });
  });

  test.each([
    ["-o", ["-o", "/dev/full"], "", 5],
    ["stdout", ["--json"], ">/dev/full", 1],
  ])(
    "a new key that cannot be written to %s is kept where its owner alone can read it",
    async (what, flags, to, code) => {
      const failed = await mkt(["keys", "create", "--label", `to-${what.replace("-", "")}`, ...flags], to);

      expect(failed.code).toBe(code);
      const path = /saved in (\S+),/.exec(failed.stderr)?.[1] ?? "";
      const { key } = JSON.parse(readFileSync(path, "utf8"));
      expect(key).toMatch(/^mkt_live_/);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(failed.stderr).not.toContain(key);
      const asked = await spawnMkt(["whoami", "--json"], {
        home,
        environment: { MKT_API_URL: market.url, MKT_API_KEY: key },
      });
      expect(asked.code).toBe(0);
    },
  );

  test("what any other request changed is kept too, and what only reads is not", async () => {
    const body = JSON.stringify({ provider: "atlas", endpoint: "/sun", input: { latitude: 1, longitude: 1 } });
    const before = readdirSync(join(home.configDir, "unwritten")).length;

    const read = await mkt(["api", "GET", "/v1/runs"], ">/dev/full");
    const ran = await mkt(["api", "POST", "/v1/run", "-i", body], ">/dev/full");

    expect([read.code, ran.code]).toEqual([1, 1]);
    const path = /saved in (\S+),/.exec(ran.stderr)?.[1] ?? "";
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ status: "COMPLETED" });
    expect(readdirSync(join(home.configDir, "unwritten"))).toHaveLength(before + 1);
  });

  test("no command that has done its work is named as the next one", async () => {
    const credited = await mkt(["wallet", "credit", "1", "--yes"], ">/dev/full");

    expect(credited.code).toBe(1);
    expect(credited.stderr).toContain("The service has answered");
    expect(credited.stderr).not.toContain("next: mkt wallet credit");
  });
});
