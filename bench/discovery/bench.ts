import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findEvalDir } from "./collections.ts";
import { proveByDaemon, type ServingDaemon } from "./daemon-proof.ts";
import { type Measurement, runLoading, runMeasurement } from "./measurement.ts";
import { type Planned, planMeasurements } from "./plan.ts";
import { askStarterCatalog, asksTable } from "./starter-asks.ts";
import { type Measured, toMarkdown } from "./tables.ts";

export interface BenchSurroundings {
  readonly projectDir: string;
  /** Path of the program that `measure.ts` became, with a module of the analysis switched off where one is named. */
  readonly measure: (withoutModule?: string) => Promise<string>;
  /** Starts the built daemon on manifests by slug, and on nothing else. */
  readonly serve: (manifests: ReadonlyMap<string, object>) => Promise<ServingDaemon>;
}

/**
 * Measures what the arguments ask for, tells how far it is on stderr, and prints tables in Markdown. Throws for unknown
 * options and names, and where there are no collections; a measurement that fails is told and left out.
 */
export async function bench(words: readonly string[], surroundings: BenchSurroundings): Promise<void> {
  const { projectDir, measure, serve } = surroundings;
  const { values } = parseArgs({
    args: [...words],
    options: {
      only: { type: "string" },
      engines: { type: "string" },
      quick: { type: "boolean", default: false },
      json: { type: "string" },
      daemon: { type: "string" },
      asks: { type: "boolean", default: false },
    },
  });
  if (values.asks) {
    console.log(asksTable(await askStarterCatalog(projectDir)));
    return;
  }
  const evalDir = findEvalDir(projectDir);
  if (evalDir === undefined) throw new Error("there are no collections; name their folder with MKT_EVAL_DIR");
  if (values.daemon !== undefined) {
    await proveByDaemon(values.daemon, { evalDir, serve });
    return;
  }
  const plan = planMeasurements(
    { evalDir, projectDir },
    { only: values.only?.split(","), engines: values.engines?.split(","), quick: values.quick },
  );
  const begin = performance.now();
  const measured: Measured[] = [];
  for (const [place, planned] of plan.entries()) {
    const { row, request } = planned;
    const at = `${String(place + 1).padStart(3)}/${plan.length} ${seconds(begin)} s  ${request.subject}: ${row}`;
    try {
      const one = await measurePlanned(await measure(planned.withoutModule), planned);
      measured.push(one);
      console.error(`${at}  ${inShort(one)}`);
    } catch (error) {
      console.error(`${at}  failed: ${String(error)}`);
    }
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(measured, undefined, 1)}\n`);
  const cores = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? "unknown"})`;
  console.log(`Node ${process.version}, ${cores}, ${seconds(begin)} s in all.\n\n${LEGEND}\n`);
  console.log(toMarkdown(measured));
  if (values.only !== undefined || values.quick) return;
  console.log(`\n### Asks of our own, put to the starter catalog, in %\n`);
  console.log(asksTable(await askStarterCatalog(projectDir)));
}

const LEGEND = `Every engine has the same documents and queries, and is a process of its own. "ours" is measured on a collection with what
was learned without it; "as shipped" with what is delivered. "held out": the weights of the signs of the score and the place
of the floor, too, were fitted without the collection at hand. p50 and p99 are milliseconds in process for ten results to a
query of 30 words, made of the collection's own, each with the median of up to three times. MB is what the built engine
holds after garbage collection; "load" ends when a query can be scored, with what chance finds asked anew.`;

async function measurePlanned(program: string, { row, request, isLoaded }: Planned): Promise<Measured> {
  if (!isLoaded) return { ...(await runMeasurement(program, request)), row };
  const folder = mkdtempSync(join(tmpdir(), "mkt-bench-"));
  try {
    const file = join(folder, "index");
    const measurement = await runMeasurement(program, { ...request, keepIn: file });
    return { ...measurement, row, loading: await runLoading(program, file) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function inShort({ quality, speed, buildMs }: Measurement): string {
  const ndcg = quality === undefined ? "" : `nDCG@10 ${(100 * quality.ndcg10).toFixed(1)}, `;
  return `${ndcg}p50 ${speed.p50.toFixed(2)} ms, built in ${(buildMs / 1_000).toFixed(1)} s`;
}

function seconds(begin: number): string {
  return ((performance.now() - begin) / 1_000).toFixed(0);
}
