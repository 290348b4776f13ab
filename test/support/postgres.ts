import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { freePort } from "./free-port.ts";

/*
 * A real PostgreSQL, from the programs that Debian's `postgresql` installs. All tests of a run share one server and have a
 * database each; a test that stops its server, or breaks it, starts one of its own.
 */

const VERSIONS = "/usr/lib/postgresql";
const START_MS = 60_000;
const USER = "mkt";

const programs = findPrograms();

/** False where there is no PostgreSQL, or nobody but root to run it as; suites are then skipped. */
export const hasPostgres = programs !== undefined;

/** For the title of a suite that is skipped. */
export const NEEDS_POSTGRES = "needs Debian's postgresql";

export interface EmptyDatabase extends AsyncDisposable {
  readonly url: string;
  readonly name: string;
  /** As the owner of the server. */
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
}

/** A database without tables, or a copy of one that was prepared, which is gone when the test ends. */
export async function emptyDatabase({ server, prepare }: EmptyDatabaseOptions = {}): Promise<EmptyDatabase> {
  const { port } = server ?? (await sharedServer());
  const name = `t${randomBytes(8).toString("hex")}`;
  const template = prepare === undefined ? "template0" : await templateOf(port, prepare);
  await asOwner(port, "postgres", (client) => client.query(`create database ${name} template ${template}`));
  return {
    url: urlOf(port, name),
    name,
    query: (text, values) => asOwner(port, name, async (client) => (await client.query(text, values)).rows),
    [Symbol.asyncDispose]: () =>
      asOwner(port, "postgres", async (client) => void (await client.query(`drop database ${name} with (force)`))),
  };
}

export interface EmptyDatabaseOptions {
  /** Absent: the one that all tests of the run share. */
  readonly server?: Pick<PostgresServer, "port"> | undefined;
  /** Makes in a database what others shall be copies of; called once for each server, and the same for all. */
  readonly prepare?: (url: string) => Promise<void>;
}

const TEMPLATE = "prepared";
/** Whoever comes first makes it. */
const TEMPLATE_LOCK = 1;

async function templateOf(port: number, prepare: (url: string) => Promise<void>): Promise<string> {
  await asOwner(port, "postgres", async (client) => {
    await client.query(`select pg_advisory_lock(${TEMPLATE_LOCK})`);
    const made = await client.query(`select from pg_database where datname = '${TEMPLATE}'`);
    if (made.rowCount !== 0) return;
    const making = `t${randomBytes(8).toString("hex")}`;
    await client.query(`create database ${making} template template0`);
    await prepare(urlOf(port, making));
    // The sessions of `prepare` may still be ending.
    await client.query(`alter database ${making} allow_connections false`);
    await client.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${making}'`);
    await client.query(`alter database ${making} rename to ${TEMPLATE}`);
  });
  return TEMPLATE;
}

/** A password is in it, although the server asks for none: so that tests see where it goes. */
export function urlOf(port: number, name: string): string {
  return `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${name}`;
}

export const PASSWORD = "pass-of-the-database";

export interface PostgresServer extends AsyncDisposable {
  readonly port: number;
  readonly dataDir: string;
  /** As `pg_ctl stop`: `immediate` is as a crash. */
  stop(mode?: "fast" | "immediate"): Promise<void>;
  /** On the same port. */
  start(): Promise<void>;
  /** Makes a standby the primary. */
  promote(): Promise<void>;
  query(database: string, text: string): Promise<Record<string, unknown>[]>;
}

export interface ServerOptions {
  /** Lines of postgresql.conf. */
  readonly settings?: readonly string[];
  /** Makes the data of the server; a new one otherwise. */
  readonly prepare?: (dataDir: string, as: Runner) => void;
}

/** Runs a program of PostgreSQL as the user who owns the server. */
export type Runner = (program: string, parameters: readonly string[]) => void;

/** A server of the test's own. */
export async function startServer({ settings = [], prepare }: ServerOptions = {}): Promise<PostgresServer> {
  const folder = `${sharedFolder()}-${randomBytes(4).toString("hex")}`;
  mkdirSync(folder, { mode: 0o700 });
  const dataDir = await makeData(folder, settings, prepare);
  const port = await freePort();
  let running = await run(folder, dataDir, port);
  const own: PostgresServer = {
    port,
    dataDir,
    async stop(mode = "fast") {
      if (running.exitCode !== null) return;
      const ended = new Promise((resolve) => running.once("exit", resolve));
      running.kill(mode === "fast" ? "SIGINT" : "SIGQUIT");
      await ended;
    },
    async start() {
      running = await run(folder, dataDir, port);
    },
    promote: () => asOwner(port, "postgres", async (client) => void (await client.query("select pg_promote()"))),
    query: (database, text) => asOwner(port, database, async (client) => (await client.query(text)).rows),
    async [Symbol.asyncDispose]() {
      await own.stop("immediate");
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return own;
}

/** Beside the folder of this run's temporary files, which is root's alone. */
export function sharedFolder(): string {
  return join(dirname(tmpdir()), `${basename(tmpdir())}-pg`);
}

/** The server of this run of tests: whoever comes first starts it, and the end of the run stops it. */
async function sharedServer(): Promise<{ readonly port: number }> {
  const folder = sharedFolder();
  const ready = join(folder, "port");
  if (existsSync(ready)) return { port: Number(readFileSync(ready, "utf8")) };
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    const until = Date.now() + START_MS;
    while (!existsSync(ready)) {
      if (Date.now() > until) throw new Error(`no PostgreSQL was started in ${folder}`);
      await delay(20);
    }
    return { port: Number(readFileSync(ready, "utf8")) };
  }
  const port = await freePort();
  const server = await run(folder, await makeData(folder, []), port);
  // It serves the other files of this run too.
  server.unref();
  writeFileSync(`${ready}.new`, String(port));
  execFileSync("mv", [`${ready}.new`, ready]);
  return { port };
}

/** As a server has it that lets everybody in. */
export function initData(dataDir: string, as: Runner): void {
  const words = ["--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions"];
  as("initdb", ["-D", dataDir, "-U", USER, ...words]);
}

async function makeData(
  folder: string,
  settings: readonly string[],
  prepare: NonNullable<ServerOptions["prepare"]> = initData,
): Promise<string> {
  const dataDir = join(folder, "data");
  const { user } = required();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  prepare(dataDir, runAs);
  const lines = [
    "listen_addresses = '127.0.0.1'",
    `unix_socket_directories = ''`,
    // What a crash of the machine would lose is lost with the machine; the tests end servers and connections, not machines.
    "fsync = off",
    "full_page_writes = off",
    "max_connections = 300",
    "shared_buffers = 32MB",
    "max_wal_size = 128MB",
    "jit = off",
    ...settings,
  ];
  appendFileSync(join(dataDir, "postgresql.auto.conf"), `${lines.join("\n")}\n`);
  return dataDir;
}

function runAs(program: string, parameters: readonly string[]): void {
  const { bin, user } = required();
  const { status, stderr } = spawnSync(join(bin, program), parameters, { ...user, cwd: "/", encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
}

async function run(folder: string, dataDir: string, port: number): Promise<ChildProcess> {
  const { bin, user } = required();
  const server = spawn(join(bin, "postgres"), ["-D", dataDir, "-p", String(port)], {
    ...user,
    cwd: "/",
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let told = "";
  const listen = (text: Buffer) => void (told += text.toString());
  server.stderr.on("data", listen);
  const until = Date.now() + START_MS;
  for (;;) {
    if (server.exitCode !== null || Date.now() > until)
      throw new Error(`PostgreSQL in ${folder} did not start: ${told}`);
    const answers = await asOwner(port, "postgres", async () => true).catch(() => false);
    if (answers) break;
    await delay(20);
  }
  server.stderr.off("data", listen);
  server.stderr.resume();
  (server.stderr as unknown as { unref?(): void }).unref?.();
  return server;
}

async function asOwner<Result>(
  port: number,
  database: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ host: "127.0.0.1", port, database, user: USER });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

interface Programs {
  readonly bin: string;
  /** PostgreSQL refuses to run as root. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

function required(): Programs {
  if (programs === undefined) throw new Error(`this ${NEEDS_POSTGRES}`);
  return programs;
}

function findPrograms(): Programs | undefined {
  const bin = findBin();
  if (bin === undefined) return undefined;
  if (process.getuid?.() !== 0) return { bin, user: undefined };
  for (const name of ["postgres", "nobody"]) {
    const line = readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .find((one) => one.startsWith(`${name}:`));
    const [, , uid, gid] = line?.split(":") ?? [];
    if (uid !== undefined && gid !== undefined) return { bin, user: { uid: Number(uid), gid: Number(gid) } };
  }
  return undefined;
}

function findBin(): string | undefined {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).sort((one, other) => Number(other) - Number(one)) : [];
  const folders = [
    ...versions.map((version) => join(VERSIONS, version, "bin")),
    ...(process.env["PATH"] ?? "").split(":"),
  ];
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")));
}
