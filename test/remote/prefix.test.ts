import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient } from "../../shared/client/client.ts";
import { operationPaths } from "../../shared/contract/operation-paths.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { jsonLines, runMkt } from "../support/run-cli.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { type PrefixProxy, startPrefixProxy } from "./prefix-proxy.ts";

let daemon: TestDaemon;
let proxy: PrefixProxy;
let home: MktHome;

/** A command at the deployment behind the prefix, which is a profile. */
function atDeployment(...words: string[]) {
  return runMkt(words, { env: home.environment });
}

beforeAll(async () => {
  daemon = await startTestDaemon({ bundled: true });
  proxy = await startPrefixProxy(daemon.url, "/market/mkt");
  home = mktHome();
  const keyFile = join(home.path, "key");
  writeFileSync(keyFile, daemon.key);
  const login = await atDeployment("login", "prod", "--api-url", proxy.url, "--key-file", keyFile);
  expect(login.exitCode, login.stderr).toBe(0);
  for (let run = 0; run < 3; run++) {
    const { exitCode, stderr } = await atDeployment("run", "atlas/sun", "latitude=38.7", "longitude=-9.1");
    expect(exitCode, stderr).toBe(0);
  }
});

afterAll(async () => {
  home[Symbol.dispose]();
  await proxy[Symbol.asyncDispose]();
  await daemon[Symbol.asyncDispose]();
});

test.each([
  ["whoami"],
  ["workspaces"],
  ["wallet"],
  ["wallet activities"],
  ["wallet credit 1 --reason test"],
  ["usage"],
  ["keys"],
  ["keys create --label second"],
  ["budgets"],
  ["caps"],
  ["resources"],
  ["discover sunrise and sunset"],
  ["inspect atlas/sun"],
  ["run atlas/sun latitude=1 longitude=2 --dry-run"],
  ["run atlas/reports/time-zones country=PT --wait-seconds 20"],
  ["runs"],
  ["categories"],
  ["providers"],
  ["endpoints --provider atlas"],
  ["catalog list"],
  ["secrets"],
  ["users add grace"],
  ["workspaces create Lab"],
])("mkt %s speaks to the deployment below its prefix", async (line) => {
  const before = proxy.asked.length;

  const { exitCode, stderr } = await atDeployment(...line.split(" "));

  const asked = proxy.asked.slice(before);
  expect(exitCode, stderr).toBe(0);
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.filter((path) => !path.startsWith("/market/mkt/"))).toEqual([]);
});

test("every operation of the contract is asked for below the prefix, whatever its path", async () => {
  const seen: string[] = [];
  const client = createClient({
    baseUrl: "https://host.example/mkt/",
    transport: async ({ url }) => {
      seen.push(url);
      return { status: 200, headers: {}, body: (async function* () {})() };
    },
  });
  const names = Object.values(operationPaths).flatMap(({ path }) => path.match(/(?<=\{)\w+(?=\})/g) ?? []);
  const params = Object.fromEntries(names.map((name) => [name, "x"]));

  for (const operation of Object.values(operationPaths)) {
    await client.call(operation as never, { params } as never);
  }

  const expected = Object.values(operationPaths).map(
    ({ path }) => `https://host.example/mkt${path.replace(/\{\w+\}/g, "x")}`,
  );
  expect(seen).toEqual(expected);
});

test("pages are followed below the prefix by the command that is printed", async () => {
  const first = await atDeployment("runs", "--limit", "2");
  const [, next = ""] = /^More: mkt (.*)$/m.exec(first.stderr) ?? [];
  const second = await atDeployment(...next.split(" "));

  expect(jsonLines(first.stdout)).toHaveLength(2);
  expect(second.exitCode, second.stderr).toBe(0);
  expect(jsonLines(second.stdout).length).toBeGreaterThan(0);
});

test("a run is fetched, and the history exported to a file", async () => {
  const [run] = jsonLines((await atDeployment("runs", "--limit", "1")).stdout) as { runId: string }[];
  const file = join(home.path, "runs.ndjson");

  const fetched = await atDeployment("get-run", run?.runId ?? "");
  const exported = await atDeployment("runs", "export", "--format", "ndjson", "-o", file);

  expect(JSON.parse(fetched.stdout)).toMatchObject({ runId: run?.runId });
  expect(exported.exitCode, exported.stderr).toBe(0);
  expect(jsonLines(readFileSync(file, "utf8")).length).toBeGreaterThanOrEqual(3);
});

test("without the prefix it is said that no service answers there", async () => {
  const { exitCode, stderr } = await atDeployment("whoami", "--api-url", new URL(proxy.url).origin);

  expect(exitCode).toBe(8);
  expect(stderr).toContain("answered 404 with something that is not JSON. Is this the address of an mkt service?");
});
