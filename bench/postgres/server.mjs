import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../load/free-port.mjs";

const VERSIONS = "/usr/lib/postgresql";
/** Clock ticks per second in `/proc`, the same on every Linux. */
const TICKS = 100;

/** A server as Debian installs it, in `folder`, which flushes to the disk; with the settings that its manual names for use. */
export async function startPostgres(folder) {
  const bin = readdirSync(VERSIONS)
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => join(VERSIONS, version, "bin"))
    .find((one) => existsSync(join(one, "initdb")));
  if (bin === undefined) throw new Error("this needs Debian's postgresql");
  const root = join(folder, "postgres");
  mkdirSync(root, { recursive: true });
  const user = ownerOf(root);
  const data = join(root, "data");
  const call = (program, words) => {
    const { status, stdout, stderr } = spawnSync(join(bin, program), words, { ...user, cwd: "/", encoding: "utf8" });
    if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
    return stdout.trim();
  };
  call("initdb", ["-D", data, "-U", "mkt", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-instructions"]);
  appendFileSync(join(data, "postgresql.auto.conf"), "shared_buffers = 512MB\nmax_wal_size = 8GB\njit = off\n");
  const port = await freePort();
  const words = ["-D", data, "-p", String(port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="];
  const child = spawn(join(bin, "postgres"), words, { ...user, cwd: "/", stdio: "ignore" });
  const ended = once(child, "exit");
  process.once("exit", () => child.kill("SIGQUIT"));
  const ask = (database, text) =>
    call("psql", ["-X", "-A", "-t", "-h", "127.0.0.1", "-p", String(port), "-U", "mkt", "-d", database, "-c", text]);
  await untilReady(() => ask("postgres", "select 1"));
  return {
    version: call("postgres", ["--version"]),
    ask,
    createDatabase(name) {
      ask("postgres", `create database ${name}`);
      return `postgres://mkt@127.0.0.1:${port}/${name}?sslmode=disable`;
    },
    /** Bytes of WAL since the server was made. */
    walBytes: () => Number(ask("postgres", "select pg_current_wal_insert_lsn() - '0/0'::pg_lsn")),
    /** Seconds of processor time of all its processes; those that have ended are with the first one. */
    processorSeconds: () => ticksOfFamily(child.pid) / TICKS,
    async stop() {
      child.kill("SIGINT");
      await ended;
    },
  };
}

/** PostgreSQL refuses to run as root, and whoever it runs as has to reach its folder. */
function ownerOf(root) {
  if (process.getuid?.() !== 0) return {};
  const [, , uid, gid] = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((line) => line.startsWith("postgres:"))
    .split(":")
    .map(Number);
  chmodSync(dirname(root), 0o711);
  chownSync(root, uid, gid);
  return { uid, gid };
}

function ticksOfFamily(pid) {
  let ticks = 0;
  for (const name of readdirSync("/proc").filter((one) => /^\d+$/.test(one))) {
    const fields = statOf(name);
    if (Number(name) === pid) ticks += fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    else if (Number(fields[1]) === pid) ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks;
}

/** From the third field on; empty for a process that has just ended. */
function statOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  } catch {
    return [];
  }
}

async function untilReady(ask) {
  for (let tries = 0; tries < 200; tries += 1) {
    try {
      return ask();
    } catch {
      await delay(50);
    }
  }
  throw new Error("PostgreSQL did not start");
}
