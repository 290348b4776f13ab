// Durable runs with 1, 2 and 4 daemons on PostgreSQL, beside one on files, on one hot workspace and on 16: `node postgres.mjs`.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { diskTime } from "./http/disk-time.mjs";
import { createLoad } from "./http/load.mjs";
import { startMeasured } from "./http/measured-daemon.mjs";
import { startProvider } from "./http/nginx-provider.mjs";
import { partsOf } from "./http/profile-parts.mjs";
import { openWorkspaces } from "./load/market.mjs";
import { median, printTable, setting, withFolder } from "./measure.mjs";
import { startPostgres } from "./postgres/server.mjs";

const ROUNDS = setting("MKT_BENCH_ROUNDS", 5);
const DURATION_MS = setting("MKT_BENCH_MS", 4_000);
/** Few, of which four daemons have two each and hardly a batch; and as many as a batch needs, without a daemon that refuses some. */
const CLIENTS = (process.env.MKT_BENCH_CLIENTS ?? "8,32").split(",").map(Number);
const SIZES = (process.env.MKT_BENCH_DAEMONS ?? "1,2,4").split(",").map(Number);
const WORKSPACES = 16;
/** Functions of a profile that are shown. */
const SHOWN = 25;

/** Daemons that share a store, their keys, and how much processor time they have used. */
async function openPlace(folder, { name, size, baseUrl, environment, profiles }) {
  const daemons = [];
  for (let nth = 0; nth < size; nth += 1) {
    const own = join(folder, `${name}-${nth}`);
    mkdirSync(own, { recursive: true });
    const options = { environment, ...(nth === 0 && profiles !== undefined && { profiles }) };
    daemons.push(await startMeasured(own, baseUrl, options));
  }
  const [first] = daemons;
  const loads = daemons.map((_, nth) => createLoad(join(folder, `${name}-${nth}`)));
  return {
    name,
    size,
    keys: { hot: [first.key], spread: await openWorkspaces(first, WORKSPACES) },
    processorSeconds: () => daemons.reduce((sum, daemon) => sum + daemon.processorSeconds(), 0),
    /** Each daemon gets its part of the clients. */
    async send(keys, { clients: all, durationMs }) {
      const clients = Math.max(1, Math.round(all / size));
      const parts = await Promise.all(
        daemons.map(({ url }, nth) => loads[nth].send(requestTo(url, keys), { clients, durationMs })),
      );
      const sum = (member) => parts.reduce((total, part) => total + part[member], 0);
      const refused = median(parts.map((part) => part.refused));
      return { answered: sum("answered"), speed: sum("speed"), p99: Math.max(...parts.map(({ p99 }) => p99)), refused };
    },
    stop: () => Promise.all(daemons.map((daemon) => daemon.stop())),
  };
}

function requestTo(url, keys) {
  return {
    url: `${url}/v1/run`,
    headers: { "content-type": "application/json" },
    keys,
    body: JSON.stringify({ provider: "instant", endpoint: "/post/small" }),
  };
}

/** One turn at one place: runs per second, and what a run took of the processors and of the WAL. */
async function measureTurn(place, keys, { clients, postgres }) {
  const before = { daemons: place.processorSeconds(), database: postgres.processorSeconds(), wal: postgres.walBytes() };
  const { answered, speed, p99, refused } = await place.send(keys, { clients, durationMs: DURATION_MS });
  return {
    speed,
    p99,
    refused,
    daemons: ((place.processorSeconds() - before.daemons) / answered) * 1e6,
    database: ((postgres.processorSeconds() - before.database) / answered) * 1e6,
    wal: (postgres.walBytes() - before.wal) / answered,
  };
}

/** Each of several daemons gets a part of the runs, and is to be as warm as one alone. */
async function warm(places, kind) {
  const load = { clients: CLIENTS[0], durationMs: DURATION_MS };
  for (const place of places) {
    for (let turn = 0; turn < 2 * place.size; turn += 1) await place.send(place.keys[kind], load);
  }
}

async function measureKind(kind, title, places, measured) {
  const turns = places.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    // In another order each time, so that what recurs on the machine falls on all.
    for (let nth = 0; nth < places.length; nth += 1) {
      const at = (nth + round) % places.length;
      turns[at].push(await measureTurn(places[at], places[at].keys[kind], measured));
    }
  }
  const one = turns[places.findIndex(({ name }) => name === "1 on PostgreSQL")];
  const rows = places.map(({ name }, at) => {
    const of = (member) => median(turns[at].map((turn) => turn[member]));
    const ratio = one && median(turns[at].map(({ speed }, round) => speed / one[round].speed));
    const isFiles = name === "1 on files";
    return [
      name,
      of("speed").toFixed(0),
      ratio?.toFixed(2) ?? "",
      of("p99").toFixed(1),
      `${(100 * of("refused")).toFixed(0)} %`,
      of("daemons").toFixed(0),
      isFiles ? "" : of("database").toFixed(0),
      isFiles ? "" : of("wal").toFixed(0),
    ];
  });
  console.log(`\n${title}\n`);
  printTable([
    ["daemons", "runs/s", "of 1", "p99 ms", "refused", "µs of daemons", "µs of database", "bytes of WAL"],
    ...rows,
  ]);
}

/** Where the time of one of the daemons goes. */
async function profile(folder, size, { provider, postgres }) {
  const profiles = join(folder, "profiles");
  const environment = onDatabase(postgres.createDatabase("profiled"));
  const place = await openPlace(folder, { name: "profiled", size, baseUrl: provider.baseUrl, environment, profiles });
  await place.send(place.keys.hot, { clients: CLIENTS[0], durationMs: 3 * DURATION_MS });
  await place.stop();
  const { parts, functions } = partsOf(profiles);
  const all = parts.reduce((sum, [, us]) => sum + us, 0);
  const share = ([name, us]) => [name, `${((100 * us) / all).toFixed(1)} %`];
  console.log(`\nProcessor time of one of ${size} daemons on a hot workspace\n`);
  printTable([["part", "share"], ...parts.slice(0, SHOWN).map(share)]);
  console.log("");
  printTable([["function", "share"], ...functions.slice(0, SHOWN).map(share)]);
}

function onDatabase(url) {
  return { MKT_DATABASE_URL: url, MKT_DATABASE_KEY: "ab".repeat(32), ...UNLIMITED };
}

/** What is measured is the store: what a workspace may have open is not to be in the way. */
const UNLIMITED = { MKT_MAX_OPEN_RUNS: "off", MKT_MAX_OPEN_RUNS_PER_KEY: "off" };

// Each daemon is killed when this process ends.
process.setMaxListeners(32);

await withFolder(async (folder) => {
  const provider = await startProvider(folder);
  const postgres = await startPostgres(folder);
  const { baseUrl } = provider;
  console.log(`Runs per second, each accepted and finished durably; medians of ${ROUNDS}`);
  console.log(`rounds in turns. ${postgres.version}, which flushes each commit. Load: ${createLoad(folder).name}.`);
  console.log(`An fdatasync of 1 kB takes ${diskTime(folder).toFixed(2)} ms on this disk (median).`);
  if (process.env.MKT_BENCH_PROFILE !== undefined) {
    await profile(folder, Number(process.env.MKT_BENCH_PROFILE), { provider, postgres });
  } else {
    const places = [await openPlace(folder, { name: "1 on files", size: 1, baseUrl, environment: UNLIMITED })];
    for (const size of SIZES) {
      const environment = onDatabase(postgres.createDatabase(`of_${size}`));
      places.push(await openPlace(folder, { name: `${size} on PostgreSQL`, size, baseUrl, environment }));
    }
    for (const [kind, title] of [
      ["hot", "One hot workspace"],
      ["spread", `${WORKSPACES} workspaces`],
    ]) {
      await warm(places, kind);
      for (const clients of CLIENTS) {
        await measureKind(kind, `${title}, ${clients} clients in all`, places, { clients, postgres });
      }
    }
    for (const place of places) await place.stop();
  }
  await postgres.stop();
  await provider.stop();
});
