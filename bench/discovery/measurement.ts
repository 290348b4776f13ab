import { spawn } from "node:child_process";
import type { ConfidenceWord } from "../../shared/contract/discovery.ts";
import type { Quality } from "./metrics.ts";
import type { Places } from "./subject.ts";

/** One engine on one subject, measured in a process of its own. */
export interface MeasurementRequest extends Places {
  readonly engine: string;
  readonly subject: string;
  readonly leaveOut?: string | undefined;
  /** Only every so manieth query. 1: all. */
  readonly everyQuery: number;
  /** Whether the floor is measured, too, with the queries that nothing answers. */
  readonly floor: boolean;
  /** Searching for speed ends after so long, with fewer queries. */
  readonly speedMs: number;
  /** Where what was built is kept, by an engine that can. */
  readonly keepIn?: string;
}

export interface Measurement {
  readonly engine: string;
  readonly subject: string;
  readonly endpoints: number;
  readonly buildMs: number;
  /** What the built engine holds: heap, array buffers and what lies outside of both; after garbage collection. */
  readonly heldBytes: number;
  /** Milliseconds a query of thirty words. */
  readonly speed: { readonly p50: number; readonly p99: number; readonly queries: number };
  readonly quality?: Quality;
  readonly floor?: FloorMeasurement;
  /** With signs and a floor that were fitted without the collection. */
  readonly heldOutFloor?: FloorMeasurement;
  readonly calibration?: readonly CalibratedWord[];
}

/** A process that was given a built index of ours, and has nothing else. */
export interface Loading {
  readonly loadMs: number;
  readonly fileBytes: number;
  /** Of the whole process, after garbage collection. */
  readonly residentBytes: number;
}

/** Queries of one kind that nothing answers. */
export interface OffTopicFigures {
  readonly kind: string;
  readonly asked: number;
  readonly empty: number;
  /** Those that were answered all the same. */
  readonly answered: readonly string[];
}

/** How well an engine tells that nothing fits. */
export interface FloorMeasurement {
  readonly offTopic: readonly OffTopicFigures[];
  /**
   * Judged queries with a right answer in the pool, and those of them whose first one lies below the floor; none of an
   * engine without a floor.
   */
  readonly judged: { readonly found: number; readonly lost: number };
}

/** What a best answer is called; `none` where nothing is found. */
export const CALIBRATED_WORDS = ["strong", "possible", "weak", "none"] as const satisfies readonly (
  | ConfidenceWord
  | "none"
)[];

/** How often the best answers that are called so are right. */
export interface CalibratedWord {
  readonly word: (typeof CALIBRATED_WORDS)[number];
  /** Judged queries whose best answer is called so, and those of them whose best answer is judged right. */
  readonly judged: number;
  readonly right: number;
  /** Queries that nothing answers whose best answer is called so all the same. */
  readonly offTopic: number;
}

/** One measurement takes no longer: the slowest engine at 100,000 endpoints needs a part of it. */
const MOST_MS = 300_000;

/** Runs the measuring program on a request. Rejects when it fails; it has told why on stderr. */
export async function runMeasurement(program: string, request: MeasurementRequest): Promise<Measurement> {
  return JSON.parse(await outputOf(program, JSON.stringify(request)));
}

export async function runLoading(program: string, loadFrom: string): Promise<Loading> {
  return JSON.parse(await outputOf(program, JSON.stringify({ loadFrom })));
}

async function outputOf(program: string, request: string): Promise<string> {
  const child = spawn(process.execPath, ["--expose-gc", "--max-old-space-size=8192", program, request], {
    stdio: ["ignore", "pipe", "inherit"],
    timeout: MOST_MS,
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (child.signalCode !== null)
    throw new Error(`it was ended by ${child.signalCode} after at most ${MOST_MS / 1_000} s`);
  if (code !== 0) throw new Error(`it ended with ${String(code)}`);
  return output;
}
