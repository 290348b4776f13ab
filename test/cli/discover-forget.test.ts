import { afterAll, beforeAll, expect, test } from "vitest";
import { runMkt } from "../support/run-cli.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

let home: MktHome;
let daemon: TestDaemon;
beforeAll(async () => {
  home = mktHome();
  daemon = await startTestDaemon({ home, bundled: true });
});
afterAll(async () => {
  await daemon?.[Symbol.asyncDispose]();
  home?.[Symbol.dispose]();
});
const mkt = async (...words: string[]) => await runMkt(words, { env: home.environment });

test("mkt discover tells what use did, and mkt discover forget erases it and tells how much", async () => {
  const ask = ["discover", "sunrise", "and", "sunset", "times", "--explain"];
  await mkt(...ask);
  const run = await mkt("run", "atlas/sun", "latitude=38.7", "longitude=-9.1");
  const used = JSON.parse((await mkt(...ask, "--json")).stdout).results;

  const search = await mkt("discover", "forget", "me", "not", "flowers");
  const flagged = await mkt("discover", "--limit", "3", "forget");
  const erased = await mkt("discover", "forget", "--json");
  const again = await mkt("discover", "forget", "--json");

  expect(run.exitCode, run.stderr).toBe(0);
  const sun = used.find(({ endpoint }: { endpoint: string }) => endpoint === "/sun");
  expect(sun.explanation.use).toMatchObject({ times: 1 });
  for (const { exitCode, stderr } of [search, flagged]) {
    expect(exitCode).toBe(2);
    expect(stderr).toContain("Nothing was erased");
  }
  expect(search.stderr).toContain("mkt discover 'forget me not flowers'");
  expect([erased, again].map(({ stdout }) => JSON.parse(stdout))).toEqual([{ erased: 1 }, { erased: 0 }]);
});
