/*
 * A catalog of very many endpoints, filled by one import of a folder: how long that takes, how long the daemon takes to
 * start with it, how much memory it has, how fast it finds something and takes up an edit.
 *
 *   MKT_BENCH_DOCUMENTS   2000     MKT_BENCH_OPERATIONS   50, in each document
 *
 * The documents are made up here, of words that endpoints have. Uses the built program: `npx tsup` first.
 */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startDaemon } from "./built-daemon.mjs";
import { printTable, quantile, setting, withFolder } from "./measure.mjs";

const program = fileURLToPath(new URL("../dist/mkt.js", import.meta.url));
const documents = setting("MKT_BENCH_DOCUMENTS", 2_000);
const operations = setting("MKT_BENCH_OPERATIONS", 50);
const QUESTIONS = ["weather forecast of a city", "price of a book", "flights between airports", "company filings"];
const THINGS =
  "weather forecast city station train book author paper citation price share company filing holiday country rate currency package version release user repository issue comment drug trial species bird river tide flight airport song album film recipe product tax law vehicle charger parcel invoice order cart message".split(
    " ",
  );
const DOINGS = "list search find count compare estimate track describe".split(" ");

/** The same numbers in every run. */
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * below);
  };
}

function documentOf(number) {
  const next = numbers(number + 1);
  const thing = () => THINGS[next(THINGS.length)];
  const paths = {};
  for (let place = 0; place < operations; place += 1) {
    const [doing, what, whose] = [DOINGS[next(DOINGS.length)], thing(), thing()];
    paths[`/${what}/${whose}/{id}/${place}`] = {
      get: {
        operationId: `${doing}_${what}_${whose}_${place}`,
        summary: `${doing} the ${what} of a ${whose}`,
        description: `Gives the ${what} of one ${whose}, with its ${thing()}, ${thing()} and ${thing()}, as last recorded.`,
        tags: [what],
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "string" }, description: `Which ${whose}` },
          { name: "q", in: "query", schema: { type: "string" }, description: `Words of the ${what}` },
          { name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 100, default: 10 } },
          { name: "sort", in: "query", schema: { type: "string", enum: ["asc", "desc"] } },
        ],
        responses: {
          200: {
            description: "What was found",
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  properties: { data: { type: "array", items: { type: "object" } }, total: { type: "integer" } },
                },
              },
            },
          },
        },
      },
    };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: `Market ${number} of ${thing()}`,
      version: "1.0",
      description: `All about ${thing()} and ${thing()}.`,
    },
    servers: [{ url: `https://api${number}.example.com/v1` }],
    components: { securitySchemes: { key: { type: "http", scheme: "bearer" } } },
    security: [{ key: [] }],
    paths,
  };
}

async function importFolder(folder, out) {
  const begin = performance.now();
  const words = [program, "catalog", "import", folder, "--out", out, "--all-operations", "--json"];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "ignore", "inherit"] });
  let megabytes = 0;
  const watch = setInterval(() => {
    megabytes = Math.max(megabytes, peakMegabytes(child.pid));
  }, 200);
  await new Promise((resolve) => child.once("exit", resolve));
  clearInterval(watch);
  return { seconds: (performance.now() - begin) / 1_000, megabytes };
}

function peakMegabytes(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

async function ask({ url, key }, method, path, body) {
  const begin = performance.now();
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  return { ms: performance.now() - begin, answer };
}

/** The longest of the answers of /health while `work` goes on. */
async function healthWhile(daemon, work) {
  const times = [];
  const over = new AbortController();
  const looking = (async () => {
    while (!over.signal.aborted) times.push((await ask(daemon, "GET", "/health")).ms);
  })();
  const result = await work();
  over.abort();
  await looking;
  return { result, p99: quantile(times, 0.99), worst: Math.max(...times) };
}

async function observe(folder) {
  const daemon = await startDaemon(folder);
  const atReady = daemon.memory() / 1e6;
  const first = await ask(daemon, "POST", "/v1/discover", { query: QUESTIONS[0], minScore: 0 });
  const later = [];
  for (let round = 0; round < 20; round += 1) {
    later.push((await ask(daemon, "POST", "/v1/discover", { query: QUESTIONS[round % 4], minScore: 0 })).ms);
  }
  return {
    daemon,
    row: [daemon.endpoints, daemon.readyMs, atReady, first.ms, quantile(later, 0.5), daemon.memory() / 1e6].map(
      Math.round,
    ),
  };
}

/** From the moment in which a file is written to the one in which its price is served. */
async function editOne(daemon, catalog) {
  const [name] = readdirSync(catalog).filter((file) => file.endsWith(".yaml"));
  const path = join(catalog, name);
  const provider = name.replace(/\.yaml$/, "");
  const text = readFileSync(path, "utf8");
  const endpoint = /^ {2}"?(\/[^:"]+)"?:$/m.exec(text)[1];
  return await healthWhile(daemon, async () => {
    const begin = performance.now();
    writeFileSync(path, text.replace(/^price: .*$/m, "price: { type: PER_CALL, amount: 0.5 }"));
    for (;;) {
      const { answer } = await ask(daemon, "POST", "/v1/inspect", { provider, endpoint });
      if (answer.price?.amount?.value === 0.5) return performance.now() - begin;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
}

await withFolder(async (folder) => {
  const source = join(folder, "documents");
  const catalog = join(folder, "catalog");
  mkdirSync(source);
  mkdirSync(catalog);
  for (let number = 0; number < documents; number += 1) {
    writeFileSync(join(source, `market-${number}.json`), JSON.stringify(documentOf(number), undefined, 1));
  }
  const megabytesOf = (dir) => readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0) / 1e6;
  console.log(`${documents} documents of ${operations} operations, ${Math.round(megabytesOf(source))} MB`);
  const imported = await importFolder(source, catalog);
  console.log(
    `import: ${imported.seconds.toFixed(0)} s, ${Math.round(imported.megabytes)} MB at most; ${Math.round(megabytesOf(catalog))} MB of manifests`,
  );

  const bare = await withFolder(async (empty) => {
    const { daemon, row } = await observe(empty);
    await daemon.stop();
    return row;
  });
  const rows = [];
  for (const name of ["first start", "second start", "third start"]) {
    const { daemon, row } = await observe(folder);
    rows.push([name, ...row]);
    if (name === "third start") {
      const { result, p99, worst } = await editOne(daemon, catalog);
      console.log(
        `an edit of one file is served after ${Math.round(result)} ms; /health meanwhile: p99 ${p99.toFixed(1)} ms, worst ${worst.toFixed(0)} ms`,
      );
    }
    await daemon.stop();
  }
  const head = ["", "endpoints", "ready ms", "MB", "first discover ms", "then", "MB"];
  printTable([head, ["what is bundled alone", ...bare], ...rows]);
});
