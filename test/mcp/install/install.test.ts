import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { clientKinds } from "../../../cli/mcp/install/client-kinds.ts";
import { configFile } from "../../../cli/mcp/install/plan-install.ts";
import { runMkt, type CliSurroundings } from "../../support/run-cli.ts";
import { tempDir } from "../../support/temp-dir.ts";

/** `mkt mcp install` of a user whose home is this folder. */
async function install(home: string, words: readonly string[], surroundings: CliSurroundings = {}) {
  const { env, ...others } = surroundings;
  return await runMkt(["mcp", "install", ...words], {
    selfCommand: ["/usr/bin/node", "/opt/mkt/mkt.js"],
    env: { HOME: home, MKT_CONFIG_DIR: join(home, "mkt"), MKT_DATA_DIR: join(home, "data"), ...env },
    ...others,
  });
}

function writeFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

describe("mkt mcp install", () => {
  test.each(clientKinds.map(({ id }) => id))(
    "writes the configuration of %s, and has nothing to do the second time",
    async (id) => {
      using folder = tempDir();

      const first = await install(folder.path, [id, "--yes", "--json"]);
      const second = await install(folder.path, [id, "--yes", "--json"]);

      const done = JSON.parse(first.stdout);
      expect(done).toMatchObject({ client: id, server: "mkt", change: "created", written: true });
      const text = readFileSync(done.file, "utf8");
      expect(text).toContain("/opt/mkt/mkt.js");
      expect(JSON.parse(second.stdout)).toMatchObject({ change: "none", written: false });
      expect(readFileSync(done.file, "utf8")).toBe(text);
    },
  );

  test("starts this very program, for the daemon and the profile that are meant", async () => {
    using folder = tempDir();

    const { stdout } = await install(folder.path, ["cursor", "--yes", "--json", "--api-url", "https://market.example"]);

    const config = JSON.parse(readFileSync(JSON.parse(stdout).file, "utf8"));
    expect(config.mcpServers.mkt).toEqual({
      command: "/usr/bin/node",
      args: ["/opt/mkt/mkt.js", "mcp", "--api-url", "https://market.example"],
      env: {
        MKT_CONFIG_DIR: join(folder.path, "mkt"),
        MKT_DATA_DIR: join(folder.path, "data"),
        MKT_NO_AUTOSTART: "1",
      },
    });
  });

  test("knows the certificates that this shell knows, from wherever it is started", async () => {
    using folder = tempDir();
    const env = { NODE_EXTRA_CA_CERTS: "company.pem", HTTPS_PROXY: "http://ada:hush@proxy.example:3128" };

    const { stdout } = await install(folder.path, ["cursor", "--yes", "--json"], { env });

    const text = readFileSync(JSON.parse(stdout).file, "utf8");
    expect(JSON.parse(text).mcpServers.mkt.env).toMatchObject({ NODE_EXTRA_CA_CERTS: resolve("company.pem") });
    expect(text).not.toContain("hush");
  });

  test("shows the change first, and with --dry-run writes nothing", async () => {
    using folder = tempDir();
    const file = join(folder.path, ".cursor", "mcp.json");
    writeFile(file, '{\n  // mine\n  "mcpServers": {}\n}\n');

    const { exitCode, stderr, stdout } = await install(folder.path, ["cursor", "--dry-run"]);

    expect(exitCode).toBe(0);
    expect(stderr).toContain(`The configuration of Cursor, ${file}, is changed:`);
    expect(stderr).toContain('+     "mkt": {');
    expect(stderr).not.toContain("// mine");
    expect(JSON.parse(stdout)).toMatchObject({ change: "changed", written: false });
    expect(readFileSync(file, "utf8")).toBe('{\n  // mine\n  "mcpServers": {}\n}\n');
    expect(readdirSync(dirname(file))).toEqual(["mcp.json"]);
  });

  test("asks before it writes: without a terminal and --yes it writes nothing, a no changes nothing", async () => {
    using folder = tempDir();

    const unasked = await install(folder.path, ["cursor"]);
    const refused = await install(folder.path, ["cursor"], { tty: true, stdin: "n\n" });
    const before = existsSync(join(folder.path, ".cursor"));
    const agreed = await install(folder.path, ["cursor"], { tty: true, stdin: "y\n" });

    expect(unasked).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("next: mkt mcp install cursor --yes"),
    });
    expect(refused.exitCode).toBe(1);
    expect(before).toBe(false);
    expect(agreed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Turn it on under Settings") });
  });

  test("keeps the file as it was, and all else that is in it", async () => {
    using folder = tempDir();
    const file = join(folder.path, ".codex", "config.toml");
    const before = 'model = "x" # mine\n\n[mcp_servers.other]\ncommand = "o"\n';
    writeFile(file, before);

    const { stdout } = await install(folder.path, ["codex", "--yes", "--json"]);

    const { backup } = JSON.parse(stdout);
    expect(readFileSync(backup, "utf8")).toBe(before);
    expect(readFileSync(file, "utf8").startsWith(before)).toBe(true);
  });

  test("follows a link to the file that it leads to", async () => {
    using folder = tempDir();
    const real = join(folder.path, "dotfiles", "mcp.json");
    writeFile(real, "{}\n");
    mkdirSync(join(folder.path, ".cursor"));
    symlinkSync(real, join(folder.path, ".cursor", "mcp.json"));

    await install(folder.path, ["cursor", "--yes"]);

    expect(lstatSync(join(folder.path, ".cursor", "mcp.json")).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toContain('"mkt"');
  });

  test("writes no key, and says so; with --with-key it does, into a file of its owner's alone, and shows none", async () => {
    using folder = tempDir();
    const env = { MKT_API_KEY: "mkt_live_secretsecret", MKT_API_URL: "https://market.example" };

    const without = await install(folder.path, ["cursor", "--yes", "--json"], { env });
    const file = JSON.parse(without.stdout).file;
    const textWithout = readFileSync(file, "utf8");
    const withKey = await install(folder.path, ["cursor", "--yes", "--json", "--with-key"], { env });

    expect(textWithout).not.toContain("mkt_live_secretsecret");
    expect(without.stderr).toContain("MKT_API_KEY is set here and is not written there");
    expect(JSON.parse(readFileSync(file, "utf8")).mcpServers.mkt.env.MKT_API_KEY).toBe("mkt_live_secretsecret");
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(`${withKey.stdout}${withKey.stderr}`).not.toContain("mkt_live_secretsecret");
  });

  test("shows no secrets of the others that are in the file", async () => {
    using folder = tempDir();
    const other =
      '{ "mcpServers": { "other": { "env": { "OTHER_TOKEN": "hush-1", "api_key": "hush-2", "PLAIN": "shown" } } } }';
    writeFile(join(folder.path, ".cursor", "mcp.json"), other);

    const { stderr } = await install(folder.path, ["cursor", "--dry-run"]);

    expect(stderr).toContain('"PLAIN": "shown"');
    expect(stderr).not.toContain("hush");
  });

  test("keeps the line ends of Windows", async () => {
    using folder = tempDir();
    const file = join(folder.path, ".cursor", "mcp.json");
    writeFile(file, '{\r\n  "mcpServers": {}\r\n}\r\n');

    await install(folder.path, ["cursor", "--yes"]);

    const text = readFileSync(file, "utf8");
    expect(text).toContain('"mkt"');
    expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
  });

  test("out of the cache of npx it says that this does not last", async () => {
    using folder = tempDir();

    const { stderr } = await install(folder.path, ["cursor", "--dry-run"], {
      selfCommand: ["/usr/bin/node", "/home/ann/.npm/_npx/ab12/node_modules/mkt/dist/mkt.js"],
    });

    expect(stderr).toContain("npm install -g mkt");
  });

  test("leaves a file alone that it cannot change safely, and says what to put in by hand", async () => {
    using folder = tempDir();
    const file = join(folder.path, ".cursor", "mcp.json");
    writeFile(file, '{ "mcpServers": ');

    const { exitCode, stderr } = await install(folder.path, ["cursor", "--yes"]);

    expect(exitCode).toBe(5);
    expect(stderr).toMatch(
      /is not JSON: \w+ in line 1, so it was left as it is\. Add this under "mcpServers" by hand: \{"mkt":/,
    );
    expect(readFileSync(file, "utf8")).toBe('{ "mcpServers": ');
  });

  test("lists the clients, and in which the server is", async () => {
    using folder = tempDir();
    await install(folder.path, ["gemini", "--yes"]);
    writeFile(join(folder.path, ".codex", "config.toml"), "");

    const { stdout } = await install(folder.path, ["--list", "--json"]);
    const onScreen = await install(folder.path, ["--list"], { tty: true });

    const states = Object.fromEntries(
      JSON.parse(stdout).items.map((item: { client: string; state: string }) => [item.client, item.state]),
    );
    expect(states).toMatchObject({ gemini: "installed", codex: "not installed", zed: "absent" });
    expect(onScreen.stdout).toContain("See the change: mkt mcp install codex --dry-run");
  });

  test.each([
    [["cursr"], 5, "Did you mean cursor?"],
    [[], 2, "A client is missing"],
    [["windsurf", "--project"], 5, "has no file of its own for a project"],
    [["cursor", "--name", "a b"], 2, "letters, digits"],
    [["cursor", "--with-key", "--yes"], 5, "none is set"],
  ])("%j is refused", async (words, exitCode, message) => {
    using folder = tempDir();

    const refused = await install(folder.path, words);

    expect(refused).toMatchObject({ exitCode, stderr: expect.stringContaining(message) });
    expect(readdirSync(folder.path)).toEqual([]);
  });
});

describe("where clients keep their configuration", () => {
  const files = (platform: NodeJS.Platform, home: string, env: Record<string, string> = {}) =>
    Object.fromEntries(clientKinds.map((kind) => [kind.id, configFile(kind, { platform, home, env })]));

  test("on Linux, macOS and Windows", () => {
    expect({
      linux: files("linux", "/home/ann"),
      macOS: files("darwin", "/Users/ann"),
      windows: files("win32", "/Users/ann", { APPDATA: "/Users/ann/AppData/Roaming" }),
    }).toMatchSnapshot();
  });

  test("where the environment moves them", () => {
    const moved = files("linux", "/home/ann", {
      XDG_CONFIG_HOME: "/cfg",
      CODEX_HOME: "/codex",
      CLAUDE_CONFIG_DIR: "/claude",
    });

    expect(moved).toMatchObject({
      vscode: "/cfg/Code/User/mcp.json",
      codex: "/codex/config.toml",
      "claude-code": "/claude/.claude.json",
    });
  });
});
