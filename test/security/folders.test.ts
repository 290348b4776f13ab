import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test, type TestContext, vi } from "vitest";
import { localDaemonFilePath } from "../../shared/local-daemon-file.ts";
import { BUNDLED_CATALOG, type MktHome, mktHome } from "../support/mkt-home.ts";
import { spawnDaemon, spawnMkt } from "../support/spawn-mkt.ts";
import { startTestDaemon } from "../support/start-daemon.ts";

// Longer than the minute after which a process that hangs is killed, so that none outlives its test.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/* docs/security.md, T18: what the daemon writes belongs to who runs it, and leads nowhere else. */

const STRANGER = 65_534;

/** A home whose daemon ran once and has stopped. */
async function usedHome(): Promise<MktHome> {
  const home = mktHome();
  const daemon = await startTestDaemon({ home });
  await daemon.request("PUT", "/v1/admin/secrets/SHOP_API_KEY", { value: "not-a-real-secret" });
  await daemon[Symbol.asyncDispose]();
  return home;
}

function needsRoot(context: TestContext): void {
  if (process.geteuid?.() !== 0) context.skip("giving files to another user needs root");
}

/** What a start on the home says that is refused; undefined when it starts. */
async function refusalOf(home: MktHome): Promise<string | undefined> {
  try {
    await (await startTestDaemon({ home }))[Symbol.asyncDispose]();
    return undefined;
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}

/** Moves a folder of the home out of its place and has a link there lead to it. */
function replaceByLink(home: MktHome, path: string, mode: number): string {
  const target = join(home.path, "elsewhere");
  renameSync(path, target);
  chmodSync(target, mode);
  symlinkSync(target, path);
  return target;
}

const OWN_PLACES: readonly (readonly [string, (home: MktHome) => string | Promise<string>])[] = [
  ["the data folder", ({ dataDir }) => dataDir],
  ["the folder of the journal", ({ dataDir }) => join(dataDir, "log")],
  ["a segment of the journal", ({ dataDir }) => join(dataDir, "log", readdirSync(join(dataDir, "log"))[0] ?? "")],
  ["the folder of snapshots", ({ dataDir }) => join(dataDir, "state")],
  ["the folder of documents", ({ dataDir }) => join(dataDir, "docs")],
  ["the folder of outputs", ({ dataDir }) => join(dataDir, "blobs")],
  ["the configuration folder", ({ configDir }) => configDir],
  ["the folder of the owner's key", ({ configDir }) => join(configDir, "local")],
  ["the file of secrets", ({ configDir }) => join(configDir, "secrets.json")],
];

test.for(OWN_PLACES)(
  "%s is refused when it belongs to somebody else, with the command that mends it",
  async ([, placeOf], context) => {
    needsRoot(context);
    using home = await usedHome();
    const path = await placeOf(home);
    chownSync(path, STRANGER, STRANGER);

    const refusal = await refusalOf(home);
    execFileSync("chown", ["-R", "0", path]);

    expect(refusal).toContain(`belongs to user ${STRANGER}`);
    expect(refusal).toMatch(/chown (?:-R )?0 /);
    expect(refusal).toContain(path);
    expect(await refusalOf(home)).toBeUndefined();
  },
);

test.for(OWN_PLACES.slice(1).filter(([what]) => what !== "the configuration folder"))(
  "%s is refused when it is a link to where others write, and nothing is written there",
  async ([, placeOf]) => {
    using home = await usedHome();
    const path = await placeOf(home);
    const target = replaceByLink(home, path, statSync(path).isDirectory() ? 0o777 : 0o666);
    const before = listing(target);

    const refusal = await refusalOf(home);

    expect(refusal).toContain("link");
    expect(refusal).toContain(path);
    expect(listing(target)).toBe(before);
  },
);

test.each([
  ["data", 0o755, "chmod 700"],
  ["config", 0o775, "chmod go-w"],
  ["config", 0o777, "chmod go-w"],
  ["config/local", 0o777, "chmod go-w"],
])("%s of mode %o is refused with %s", async (name, mode, command) => {
  using home = await usedHome();
  chmodSync(join(home.path, name), mode);

  const refusal = await refusalOf(home);

  expect(refusal).toContain(`${command} '${join(home.path, name)}'`);
});

test("what is wrong of much in the data folder is mended by one command", async (context) => {
  needsRoot(context);
  using home = await usedHome();
  for (const name of ["log", "docs"]) chmodSync(join(home.dataDir, name), 0o777);

  const ofMode = await refusalOf(home);
  execFileSync("chmod", ["-R", "go-w", home.dataDir]);
  for (const name of ["log", "state"]) chownSync(join(home.dataDir, name), STRANGER, STRANGER);
  const ofOwner = await refusalOf(home);
  execFileSync("chown", ["-R", "0", home.dataDir]);

  expect(ofMode).toContain(`chmod -R go-w '${home.dataDir}'`);
  expect(ofOwner).toContain(`chown -R 0 '${home.dataDir}'`);
  expect(await refusalOf(home)).toBeUndefined();
});

test("a data folder that an administrator made a link to another disk is used as ever", async () => {
  using home = await usedHome();
  replaceByLink(home, home.dataDir, 0o700);

  expect(await refusalOf(home)).toBeUndefined();
});

test("a link to a data folder is refused where others may put another folder in its place", async () => {
  using home = await usedHome();
  const open = join(home.path, "open");
  mkdirSync(open);
  chmodSync(open, 0o777);
  renameSync(home.dataDir, join(open, "data"));
  symlinkSync(join(open, "data"), home.dataDir);

  const refusal = await refusalOf(home);
  // As /tmp is: others may add names, and not change those that are there.
  chmodSync(open, 0o1777);

  expect(refusal).toContain(`others may write to ${open}`);
  expect(await refusalOf(home)).toBeUndefined();
});

test("a link that somebody else owns is refused, wherever it leads", async (context) => {
  needsRoot(context);
  using home = await usedHome();
  replaceByLink(home, home.dataDir, 0o700);
  lchownSync(home.dataDir, STRANGER, STRANGER);

  expect(await refusalOf(home)).toContain(`is a link of user ${STRANGER}`);
});

test("the doctor tells whose the data folder is, and the command that makes it one's own", async (context) => {
  needsRoot(context);
  using home = await usedHome();
  const own = await spawnMkt(["doctor", "--json"], { home });
  chownSync(home.dataDir, STRANGER, STRANGER);

  const foreign = await spawnMkt(["doctor", "--json"], { home });

  const dataOf = ({ stdout }: { stdout: string }) =>
    (JSON.parse(stdout) as { findings: { check: string; message: string; next: string }[] }).findings.filter(
      ({ check }) => check === "data",
    );
  expect(dataOf(own)).toEqual([]);
  expect(foreign.code).toBe(1);
  expect(dataOf(foreign)).toEqual([
    {
      check: "data",
      message: expect.stringContaining(`${home.dataDir} belongs to user ${STRANGER}`),
      next: expect.stringMatching(/^chown (?:-R )?0 /),
    },
  ]);
});

test("a folder of somebody else ends the daemon with 78, in the background too, and takes no log", async (context) => {
  needsRoot(context);
  using home = mktHome();
  mkdirSync(home.dataDir, { mode: 0o700 });
  chownSync(home.dataDir, STRANGER, STRANGER);

  const [front, back] = [
    await spawnMkt(["daemon", "--port", "0", "--registry-port", "0"], { home }),
    await spawnMkt(["daemon", "start", "--port", "0", "--registry-port", "0"], { home }),
  ];

  for (const { code, stderr } of [front, back]) {
    expect(stderr).toContain(`${home.dataDir} belongs to user ${STRANGER}`);
    expect(code).toBe(78);
  }
  expect(readdirSync(home.dataDir)).toEqual([]);
});

test("the log of the background daemon goes through no link, and into no pipe", async () => {
  using home = await usedHome();
  const log = join(home.dataDir, "daemon.log");
  const target = join(home.path, "target");
  writeFileSync(target, "mine\n");
  const start = () => spawnMkt(["daemon", "start", "--port", "0", "--registry-port", "0"], { home });

  symlinkSync(target, log);
  const linked = await start();
  renameSync(log, join(home.path, "was-the-link"));
  execFileSync("mkfifo", [log]);
  const piped = await start();

  expect(linked).toMatchObject({ code: 78, stderr: expect.stringContaining("daemon.log in it is a link") });
  expect(piped).toMatchObject({ code: 78, stderr: expect.stringContaining("daemon.log in it is not a file") });
  expect(readFileSync(target, "utf8")).toBe("mine\n");
});

test("whatever the umask, nothing that is written is open to others: prices, grants, secrets, caches, imports, backups", async () => {
  using home = mktHome();
  const shellLine = "umask 000";
  const manifest = {
    secrets: { key: { env: "SHOP_API_KEY", description: "of the shop" } },
    http: { baseUrl: "https://shop.example", auth: { type: "bearer", token: "${secret.key}" } },
    endpoints: { "/now": { request: { method: "GET", path: "/now" }, price: { type: "PER_CALL", amount: 0.01 } } },
  };
  const catalog = home.writeCatalog("untrusted", { shop: manifest });
  const description = join(home.path, "openapi.json");
  const paths = { "/tides": { get: { operationId: "tides", responses: { 200: { description: "tides" } } } } };
  writeFileSync(
    description,
    JSON.stringify({
      openapi: "3.0.3",
      info: { title: "Tides", version: "1" },
      servers: [{ url: "https://tides.example" }],
      paths,
    }),
  );
  const backup = join(home.path, "backup");
  const mkt = async (...args: string[]) => {
    const { code, stderr } = await spawnMkt(args, { home, shellLine, environment: BUNDLED_CATALOG });
    expect(code, `${args.join(" ")}: ${stderr}`).toBe(0);
  };

  await mkt("daemon", "start", "--port", "0", "--registry-port", "0", "--catalog", catalog);
  await mkt("run", "atlas/time/now", "--json");
  await mkt("catalog", "grant", "shop", "--yes");
  await mkt("catalog", "price", "shop/now", "0.02");
  await mkt("catalog", "import", description);
  await mkt("budgets", "create", "--period", "day", "--limit", "20");
  await mkt("profile", "add", "team", "--api-url", "https://mkt.example");
  await mkt("daemon", "backup", backup);
  await mkt("daemon", "stop");

  const written = execFileSync("find", [home.dataDir, home.configDir, backup], { encoding: "utf8" });
  const open = execFileSync("find", [home.dataDir, home.configDir, backup, "-perm", "/077"], { encoding: "utf8" });
  for (const name of ["prices.yaml", "profiles.json", "grants.json", "tides.yaml", "daemon.log", "lock."]) {
    expect(written).toContain(name);
  }
  expect(localDaemonFilePath(home.configDir, home.dataDir)).toSatisfy((path: string) => written.includes(path));
  expect(open).toBe("");
});

test("a folder that another user's daemon has is told by its owner, not by its lock", async (context) => {
  needsRoot(context);
  await using daemon = await spawnDaemon();
  chownSync(daemon.home.configDir, STRANGER, STRANGER);

  const { code, stderr } = await spawnMkt(["daemon", "--port", "0", "--registry-port", "0"], { home: daemon.home });
  chownSync(daemon.home.configDir, 0, 0);

  expect(code).toBe(78);
  expect(stderr).toContain("The configuration folder");
});

function listing(path: string): string {
  return execFileSync("sh", ["-c", 'ls -lAR --time-style=full-iso "$0" | grep -v "^total"', path], {
    encoding: "utf8",
  });
}
