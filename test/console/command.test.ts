import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { mktHome } from "../support/mkt-home.ts";
import { askWith } from "../support/request.ts";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { tempDir } from "../support/temp-dir.ts";
import { exchange } from "./sign-in.ts";

const home = mktHome();
const folder = tempDir();
let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startTestDaemon({ home });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  home[Symbol.dispose]();
  folder[Symbol.dispose]();
});

/** A browser that only writes down where it was sent. */
function browserThatWrites(): { readonly program: string; readonly went: string } {
  const [program, went] = [join(folder.path, "browser"), join(folder.path, "went")];
  writeFileSync(program, `#!/bin/sh\nprintf '%s' "$1" > '${went}.new' && mv '${went}.new' '${went}'\n`);
  chmodSync(program, 0o700);
  return { program, went };
}

const env = { MKT_DATA_DIR: home.dataDir, MKT_CONFIG_DIR: home.configDir };

describe("mkt console", () => {
  test("opens the browser with an address that signs in once", async () => {
    const { program, went } = browserThatWrites();

    const { exitCode, stdout } = await runMkt(["console", "--json"], { env: { ...env, BROWSER: program } });
    await vi.waitFor(() => expect(existsSync(went)).toBe(true), { timeout: 20_000 });

    const { address, opened } = JSON.parse(stdout);
    expect(exitCode).toBe(0);
    expect(opened).toBe(true);
    expect(readFileSync(went, "utf8")).toBe(address);
    const [, ticket = ""] = address.split(`${daemon.url}/console/#ticket=`);
    const { status, body } = await exchange(daemon.url, ticket);
    expect(status).toBe(201);
    expect((await askWith(daemon.url, body.key)("GET", "/v1/auth/whoami")).status).toBe(200);
  });

  test("only prints the address with --print, and where there is no screen", async () => {
    const { program } = browserThatWrites();

    const printed = await runMkt(["console", "--print"], { env: { ...env, BROWSER: program } });
    const bare = await runMkt(["console"], { env });

    for (const { exitCode, stdout } of [printed, bare]) {
      expect(exitCode).toBe(0);
      expect(JSON.parse(stdout)).toEqual({
        address: expect.stringMatching(/\/console\/#ticket=tkt_[\w-]{43}$/),
        expiresAt: expect.stringMatching(/Z$/),
        opened: false,
      });
    }
  });

  test("goes to the deployment of the profile, below its path, with the key of the profile", async () => {
    const other = await daemon.request("POST", "/v1/api-keys", { label: "of a profile", role: "member" });
    const { body } = other;
    const keyFile = join(folder.path, "key");
    writeFileSync(keyFile, body.key, { mode: 0o600 });
    const added = await runMkt(["profile", "add", "team", "--api-url", `${daemon.url}/`, "--key-file", keyFile], {
      env,
    });
    expect(added.exitCode, added.stderr).toBe(0);

    const { stdout, stderr } = await runMkt(["console", "--print", "--profile", "team"], { env });

    expect(stderr).toBe("");
    const [, ticket = ""] = JSON.parse(stdout).address.split(`${daemon.url}/console/#ticket=`);
    const session = (await exchange(daemon.url, ticket)).body;
    const whoami = await askWith(daemon.url, session.key)("GET", "/v1/auth/whoami");
    expect(whoami.body.credential).toMatchObject({ label: "of a profile", role: "member" });
  });

  test("says what to do where the service has no console", async () => {
    using own = mktHome();
    await using off = await startTestDaemon({ home: own, environment: { MKT_CONSOLE: "off" } });

    const { exitCode, stderr } = await runMkt(["console"], {
      env: { MKT_DATA_DIR: own.dataDir, MKT_CONFIG_DIR: own.configDir },
    });

    expect(exitCode).toBe(8);
    expect(stderr).toContain("MKT_CONSOLE=off");
    expect(off.url).toContain("http");
  });
});
