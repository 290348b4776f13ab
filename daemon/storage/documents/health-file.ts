import { join } from "node:path";
import { z } from "zod";
import type { EndpointEvidence } from "../../discovery/health/endpoint-evidence.ts";
import { latestTimes } from "../../discovery/health/run-times.ts";
import type { HealthStore, KeptEvidence } from "../../discovery/health/health-store.ts";
import { removeTemporaries, writeDurably } from "../durable-file.ts";
import { systemErrorCode } from "../../../shared/system-error-code.ts";
import { type Files, nodeFiles } from "../files.ts";
import { ensureFolder } from "../journal/folder/data-folder.ts";

/**
 * `<data>/health/windows.ndjson`: the health evidence of endpoints, so that a start need not read the history. The
 * first line says when it was written and how many endpoints follow, one per line:
 *
 *   [provider and path, [[workspace, private, last error, [at, error, …], [hour, runs, errors, …],
 *     [span, runs, ms of all, longest ms, …]], …], [at, ms, …]]
 *
 * A file that was written before there were spans has none. Times are milliseconds since the epoch, and true is 1. The file is optional: an invalid one counts as absent.
 */
const FOLDER = "health";
const NAME = "windows.ndjson";
const FORMAT = 1;
const MAX_BYTES = 256 * 1_024 * 1_024;
/** Larger than what is written without leaving the thread. */
const CHUNK_CHARACTERS = 256 * 1_024;

const Header = z.object({
  format: z.literal(FORMAT),
  at: z.number(),
  closed: z.boolean(),
  endpoints: z.int().min(0),
});
/** Checked as one list, not number by number: there are many of them. */
const numbers = (each: number, most = Number.MAX_SAFE_INTEGER) =>
  z.custom<readonly number[]>(
    (value) =>
      Array.isArray(value) &&
      value.length % each === 0 &&
      value.every((one) => typeof one === "number" && one >= 0 && one <= most),
    `takes numbers from 0 to ${most}, ${each} for each entry`,
  );
const Workspace = z.tuple([
  z.string(),
  z.union([z.literal(0), z.literal(1)]),
  z.number(),
  numbers(2),
  numbers(3, 0xffff_ffff),
  numbers(4, 0xffff_ffff).optional(),
]);
const EndpointLine = z.tuple([z.string(), z.array(Workspace).min(1), numbers(2)]);
type EndpointLine = z.infer<typeof EndpointLine>;

/** The folder is created at the first write. */
export function openHealthFile(dataDir: string, files: Files = nodeFiles()): HealthStore {
  const folder = join(dataDir, FOLDER);
  return {
    async read() {
      try {
        await removeTemporaries(files, folder);
        return await readFile(files, join(folder, NAME));
      } catch (error) {
        if (systemErrorCode(error) === "ENOENT") return undefined;
        throw error;
      }
    },
    async write(kept) {
      // Run times are added in place, and the rest is immutable: a snapshot of one moment, however long the writing takes.
      const evidence = [...kept.evidence].map(([key, known]): [string, EndpointEvidence] => {
        return [key, { ...known, times: [...latestTimes(known.times)] }];
      });
      await ensureFolder(files, dataDir, FOLDER);
      await writeDurably(files, folder, NAME, chunksOf(kept, evidence));
    },
  };
}

async function readFile(files: Files, path: string): Promise<KeptEvidence> {
  const { size } = await files.stat(path);
  if (size > MAX_BYTES) throw new Error(`it has ${size} bytes, more than ${MAX_BYTES}`);
  return parse((await files.readFile(path)).toString("utf8"));
}

function parse(text: string): KeptEvidence {
  const [first = "", ...rest] = text.trimEnd().split("\n");
  const { at, closed, endpoints } = Header.parse(JSON.parse(first));
  if (rest.length !== endpoints) throw new Error(`it has ${rest.length} endpoints where it says ${endpoints}`);
  const evidence = new Map(rest.map((line) => toEvidence(EndpointLine.parse(JSON.parse(line)))));
  return { at, closed, evidence };
}

async function* chunksOf(
  { at, closed }: Pick<KeptEvidence, "at" | "closed">,
  evidence: readonly (readonly [string, EndpointEvidence])[],
): AsyncGenerator<Uint8Array> {
  let text = `${JSON.stringify({ format: FORMAT, at, closed, endpoints: evidence.length })}\n`;
  for (const [key, known] of evidence) {
    text += `${JSON.stringify(toLine(key, known))}\n`;
    if (text.length < CHUNK_CHARACTERS) continue;
    yield Buffer.from(text);
    text = "";
  }
  if (text !== "") yield Buffer.from(text);
}

function toLine(key: string, { workspaces, times }: EndpointEvidence): EndpointLine {
  return [
    key,
    workspaces.map(({ workspaceId, isPrivate, windows: { latest, lastErrorAt, hours }, spans }) => [
      workspaceId,
      isPrivate ? 1 : 0,
      lastErrorAt,
      latest.flatMap(({ at, isError }) => [at, isError ? 1 : 0]),
      [...hours],
      [...spans],
    ]),
    [...latestTimes(times)],
  ];
}

function toEvidence([key, workspaces, times]: EndpointLine): [string, EndpointEvidence] {
  return [
    key,
    {
      workspaces: workspaces.map(([workspaceId, isPrivate, lastErrorAt, latest, hours, spans = []]) => ({
        workspaceId,
        isPrivate: isPrivate === 1,
        windows: {
          lastErrorAt,
          latest: pairsOf(latest).map(([at, isError]) => ({ at, isError: isError === 1 })),
          hours: Uint32Array.from(hours),
        },
        spans: Uint32Array.from(spans),
      })),
      times: [...times],
    },
  ];
}

function pairsOf(values: readonly number[]): [number, number][] {
  return Array.from({ length: values.length / 2 }, (_, pair) => [values[2 * pair] ?? 0, values[2 * pair + 1] ?? 0]);
}
