import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startTestDaemon({ bundled: true });
  const run = (endpoint: string, input: object, tags?: object) =>
    daemon.request("POST", "/v1/run", { provider: "atlas", endpoint, input, ...(tags && { tags }) });
  await run("/countries", {}, { job: "nightly" });
  await run("/countries", {}, { job: "weekly" });
  await run("/timers", { body: { name: "tea" } });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
});

const mkt = (line: string, tty = false) =>
  runMkt(line.split(" "), { env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key }, tty });

describe("a filter that is mistyped does not lead to an empty list in silence", () => {
  test.each<[line: string, near: string]>([
    ["runs --provider atls", 'No run is of the provider "atls". Did you mean atlas?'],
    ["runs --endpoint /contries", 'No run is of the endpoint "/contries". Did you mean /countries?'],
    ["runs --endpoint contries", 'No run is of the endpoint "contries". Did you mean /countries?'],
    ["runs --endpoint atlas/countries", "Did you mean --provider atlas --endpoint /countries?"],
    ["runs --endpoint /zebra", 'No run is of the endpoint "/zebra". There are /timers and /countries.'],
    ["runs --key-label onwer", 'No run is made with the key "onwer". Did you mean owner?'],
    ["runs --tag job=nigthly", "No run has the tag job=nigthly. Did you mean job=nightly?"],
    ["runs --tag jbo=nightly", 'No run has a tag named "jbo". Did you mean job?'],
    ["runs --tag job=zebra", "No run has the tag job=zebra. There are job=weekly and job=nightly."],
    ["runs --since tomorrow", "--since is in the future"],
    ["runs --since 1h --until 2h", "--until is before --since"],
    ["runs --status FAILED", "No run is FAILED. There is COMPLETED."],
    ["runs --status FAILED --endpoint /contries", "No run passes these filters. Without them there are some: mkt runs"],
    ["runs export --endpoint /contries", "Did you mean /countries?"],
    ["runs export --format ndjson --tag job=nigthly", "Did you mean job=nightly?"],
    ["usage --since tomorrow", "--since is in the future"],
    ["usage --since 1h --until 2h", "--until is before --since"],
    ["usage --by tag:jbo", 'No run has a tag named "jbo". Did you mean job?'],
    ["discover countries --tag cuontries", "Did you mean countries?"],
    ["discover countries --mode async --tag zzzzz", 'Nothing that fits has the tag "zzzzz"'],
    ["resources --state RELEASED", "No resource is RELEASED. There is ACTIVE."],
    ["resources --provider atlas --type phone_number", "no resource is of the type phone_number. There is machine."],
    [
      "discover countries --max-price 0 --mode async",
      "Nothing that fits answers later. Some answer at once: --mode sync.",
    ],
  ])("mkt %s", async (line, near) => {
    const { exitCode, stdout, stderr } = await mkt(line);

    expect(exitCode, stderr).toBe(0);
    expect(stderr).toContain(near);
    // The names that groups are of are no runs.
    if (!/^(?:usage|runs export --endpoint)/.test(line)) expect(stdout).toBe("");
  });

  test("what is suggested gives results", async () => {
    const { stderr } = await mkt("discover countries --tag cuontries");
    const [, tag = ""] = /Did you mean (\S+?)(?: or|\?)/.exec(stderr) ?? [];

    const { stdout } = await mkt(`discover countries --tag ${tag}`);

    expect(stdout).not.toBe("");
  });

  test("names only what passes the other filters", async () => {
    const { stderr } = await mkt("runs --endpoint /contries --tag job=nightly --status FAILED");

    expect(stderr).not.toContain("Did you mean");
    expect(stderr).toContain("Without them there are some: mkt runs");
  });

  test("nothing more is asked where something was found, nor with --quiet is anything said", async () => {
    const found = await mkt("runs --endpoint /countries --debug");
    const quiet = await mkt("runs --endpoint /contries --quiet");

    expect(found.stderr.match(/GET /g)).toHaveLength(1);
    expect(quiet.stderr).toBe("");
  });

  test("on a terminal filters are not taken for having no runs at all", async () => {
    const { stdout, stderr } = await mkt("runs --tag job=nigthly", true);

    expect(stdout).not.toContain("Find something to run");
    expect(stderr).toContain("Did you mean job=nightly?");
  });
});

describe("a value that is none of a closed list is refused with what is near", () => {
  test.each<[line: string, exitCode: number, near: string]>([
    ["runs --status FALIED", 5, 'did you mean "FAILED"?'],
    ["runs --status COMPLETED,FALIED", 5, 'did you mean "FAILED"?'],
    ["keys --status ACTVE", 5, 'did you mean "ACTIVE"?'],
    ["resources --state ACITVE", 5, 'did you mean "ACTIVE"?'],
    ["resources --provider atlas --type machin", 5, 'did you mean "machine"?'],
    ["budgets create --period dya --limit 1", 5, 'did you mean "DAY"?'],
    ["usage --by provder", 5, 'did you mean "provider"?'],
    ["discover sun --mode asnyc", 2, "Did you mean async?"],
    ["runs export --format cvs", 2, "Did you mean csv?"],
    ["keys create --label x --spend-limit 5/dya", 2, "Did you mean 5/day?"],
  ])("mkt %s", async (line, exitCode, near) => {
    const outcome = await mkt(line);

    expect(outcome.exitCode, outcome.stderr).toBe(exitCode);
    expect(outcome.stderr).toContain(near);
  });
});
