import { statSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { type JudgedCollection, loadOffTopic } from "./collections.ts";
import type { Engine } from "./engines/engine.ts";
import { engineBuilder } from "./engines/every-engine.ts";
import { loadOurs } from "./engines/ours.ts";
import { evaluate } from "./evaluate.ts";
import { measureCalibration } from "./measure-calibration.ts";
import { type FloorQueries, measureFloor } from "./measure-floor.ts";
import type { Loading, Measurement, MeasurementRequest } from "./measurement.ts";
import { quantile } from "./metrics.ts";
import { openSubject, type Subject } from "./subject.ts";
import { thirtyWordQueries } from "./thirty-words.ts";

/* The program of one measurement: the request is its one argument, the answer its one line. */

const LIMIT = 10;
const MOST_SPEED_QUERIES = 300;
/** p99 of fewer says nothing; they are asked however long it takes. */
const FEWEST_SPEED_QUERIES = 20;
const ROUNDS = 3;

async function measure(request: MeasurementRequest): Promise<Measurement> {
  const subject = await openSubject(request.subject, request);
  const build = engineBuilder(request.engine, request);
  const before = await heldBytes();
  const begin = performance.now();
  const engine = await build(subject.documents());
  const buildMs = performance.now() - begin;
  const held = (await heldBytes()) - before + (engine.outsideBytes?.() ?? 0);
  const speed = await measureSpeed(engine, subject, request.speedMs);
  const judged = subject.judged === undefined ? undefined : everySo(subject.judged, request.everyQuery);
  const offTopic = request.floor ? loadOffTopic(request.evalDir) : undefined;
  const measured = {
    engine: request.engine,
    subject: request.subject,
    endpoints: subject.ids.length,
    buildMs,
    heldBytes: held,
    speed,
    ...(judged !== undefined && { quality: await evaluate(engine, judged, subject.ids) }),
    ...(offTopic !== undefined && (await measureFloors(engine, subject.ids, { offTopic, judged }))),
  };
  if (request.keepIn !== undefined) await engine.save?.(request.keepIn);
  engine.close?.();
  return measured;
}

async function measureFloors(
  engine: Engine,
  ids: readonly string[],
  queries: FloorQueries,
): Promise<Pick<Measurement, "floor" | "heldOutFloor" | "calibration">> {
  const { best, searchAboveHeldOutFloor: searchAboveFloor } = engine;
  return {
    floor: await measureFloor(engine, ids, queries),
    ...(searchAboveFloor !== undefined && {
      heldOutFloor: await measureFloor({ ...engine, searchAboveFloor }, ids, queries),
    }),
    ...(best !== undefined && { calibration: measureCalibration(best, ids, queries) }),
  };
}

async function measureLoading(path: string): Promise<Loading> {
  const begin = performance.now();
  const engine = await loadOurs(path);
  const loadMs = performance.now() - begin;
  await heldBytes();
  const residentBytes = process.memoryUsage.rss();
  // It must be alive until then.
  engine.search("", 1);
  return { loadMs, fileBytes: statSync(path).size, residentBytes };
}

/** After garbage collection: what is in use, not what the process once needed. */
async function heldBytes(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.();
    await pause(20);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/**
 * Each query counts with the median of its times, so that what else the machine does meanwhile does not; the rounds end
 * when the time is over. Before them the engine becomes warm.
 */
async function measureSpeed(engine: Engine, { queries }: Subject, mostMs: number): Promise<Measurement["speed"]> {
  const long = thirtyWordQueries(queries, MOST_SPEED_QUERIES);
  const warm = performance.now() + mostMs / 4;
  for (const query of long) {
    await engine.search(query, LIMIT);
    if (performance.now() > warm) break;
  }
  const times = long.map((): number[] => []);
  const end = performance.now() + mostMs;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [place, query] of long.entries()) {
      if ((round > 0 || place >= FEWEST_SPEED_QUERIES) && performance.now() > end) break;
      const begin = performance.now();
      await engine.search(query, LIMIT);
      times[place]?.push(performance.now() - begin);
    }
  }
  const medians = times.filter((own) => own.length > 0).map((own) => quantile(own, 0.5));
  return { p50: quantile(medians, 0.5), p99: quantile(medians, 0.99), queries: medians.length };
}

function everySo(judged: JudgedCollection, step: number): JudgedCollection {
  const queries = judged.queries.filter((_, place) => place % step === 0);
  return {
    ...judged,
    queries,
    judgements: new Map(queries.map(({ qid }) => [qid, judged.judgements.get(qid) ?? new Map<string, number>()])),
  };
}

const request: MeasurementRequest | { readonly loadFrom: string } = JSON.parse(process.argv[2] ?? "");
console.log(JSON.stringify("loadFrom" in request ? await measureLoading(request.loadFrom) : await measure(request)));
