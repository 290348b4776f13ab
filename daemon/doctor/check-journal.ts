import { isDeepStrictEqual } from "node:util";
import { join } from "node:path";
import { systemErrorCode } from "../../shared/system-error-code.ts";
import { readFully, type Files } from "../storage/files.ts";
import { decodeChecked } from "../storage/journal/segments/checked-text.ts";
import {
  encodeIndex,
  INDEX_HEADER_BYTES,
  INDEX_VERSION,
  type LinePlace,
} from "../storage/journal/indexes/index-file.ts";
import { validLinesFrom } from "../storage/journal/segments/line-codec.ts";
import { readJournal, type FoundLine, type ReadJournal } from "../storage/journal/segments/recovery.ts";
import { indexName, type JournalEnd, type SegmentSpan } from "../storage/journal/segments/segment.ts";
import { addFoundLine, findIndexHeader, isSameEnd } from "../storage/journal/indexes/segment-index.ts";
import { decodeSnapshot, listSnapshots, type FoundSnapshot } from "../storage/journal/segments/snapshot.ts";
import { LineIndex } from "../storage/line-index.ts";
import { JournalCorrupt } from "../storage/storage-errors.ts";
import { LedgerCheck } from "./check-ledger.ts";
import { countWords } from "../../shared/count-words.ts";
import type { Findings } from "./finding.ts";

const NEWLINE = 0x0a;

export interface JournalCheck {
  readonly ledger: LedgerCheck;
  /** Absent when damage stopped the reading. */
  readonly read?: ReadJournal;
}

export interface JournalParts {
  readonly files: Files;
  readonly dataDir: string;
  readonly findings: Findings;
  /** Called for every line that could be parsed, for checks of what the journal refers to. */
  readonly onLine: (line: FoundLine) => void;
}

interface NamedSnapshot {
  readonly file: string;
  readonly snapshot: FoundSnapshot;
}

/** Reads every byte of the journal, and compares everything that is derived from it: indexes and snapshots. */
export async function checkJournal(parts: JournalParts): Promise<JournalCheck> {
  const { findings } = parts;
  const ledger = new LedgerCheck(findings);
  const snapshots = await readSnapshots(parts);
  const compared = new Set<NamedSnapshot>();
  let index = new LineIndex<LinePlace>();
  let segments = 0;
  let sealed = 0;
  try {
    const read = await readJournal(parts.files, join(parts.dataDir, "log"), {
      onLine(found) {
        if (!ledger.take(found)) return;
        parts.onLine(found);
        addFoundLine(index, found);
      },
      async onSegment(span, isLast) {
        const ended = index;
        index = new LineIndex();
        segments += 1;
        if (await compareIndex(parts, span, ended, isLast)) sealed += 1;
        for (const named of snapshots.filter(({ snapshot }) => isSameEnd(snapshot.end, span.end))) {
          compared.add(named);
          compareSnapshot(findings, named, ledger);
        }
      },
    });
    ledger.end();
    await checkTail(parts, read, snapshots);
    const uncompared = snapshots.filter((named) => !compared.has(named));
    reportStray(findings, uncompared, read.end.seq);
    return { ledger, read };
  } catch (error) {
    if (!(error instanceof JournalCorrupt)) throw error;
    const { file, offset, why } = error;
    findings.damage("journal", `${why}; nothing after it was read`, { file: inFolder(parts, file), offset });
    return { ledger };
  } finally {
    recordCounts(findings, ledger, { segments, sealed, snapshots: snapshots.length });
  }
}

/** How much of each kind was checked. */
function recordCounts(
  { looked }: Findings,
  ledger: LedgerCheck,
  counts: { readonly segments: number; readonly sealed: number; readonly snapshots: number },
): void {
  looked.set("journal", `${countWords(counts.segments, "segment")}, ${countWords(ledger.lines, "line")}`);
  ledger.recordCounts();
  looked.set("indexes", countWords(counts.sealed, "index", "indexes"));
  looked.set("snapshots", countWords(counts.snapshots, "snapshot"));
}

/** Snapshots of a line with which no segment ends; those beyond the last line are reported with the tail. */
function reportStray(findings: Findings, snapshots: readonly NamedSnapshot[], lastSeq: number): void {
  for (const { file, snapshot } of snapshots.filter((named) => named.snapshot.end.seq <= lastSeq)) {
    const message = `it stands for line ${snapshot.end.seq}, with which no segment ends`;
    findings.damage("snapshots", message, { file, mend: { kind: "remove", file } });
  }
}

async function readSnapshots({ files, dataDir, findings }: JournalParts): Promise<NamedSnapshot[]> {
  const folder = join(dataDir, "state");
  const names = await listSnapshots(files, folder).catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw error;
  });
  const snapshots: NamedSnapshot[] = [];
  for (const name of names) {
    const file = `state/${name}`;
    const bytes = await files.readFile(join(folder, name));
    const snapshot = bytes.at(-1) === NEWLINE ? decodeSnapshot(bytes) : undefined;
    if (snapshot !== undefined) snapshots.push({ file, snapshot });
    else findings.damage("snapshots", "it is damaged", { file, mend: { kind: "remove", file } });
  }
  return snapshots;
}

function compareSnapshot(findings: Findings, { file, snapshot }: NamedSnapshot, { state }: LedgerCheck): void {
  const { durable, openRuns } = snapshot.before;
  const isSame = isDeepStrictEqual(durable, state.book) && isDeepStrictEqual([...openRuns], state.runs.list());
  if (isSame) return;
  findings.damage("snapshots", `it is not what the lines up to ${snapshot.end.seq} give`, {
    file,
    mend: { kind: "remove", file },
  });
}

/** Undamaged, but in a format that the next start does not read. */
function isOfOlderVersion(bytes: Buffer): boolean {
  const checked = decodeChecked(bytes.subarray(0, INDEX_HEADER_BYTES - 1));
  return typeof checked !== "string" && checked.value["t"] === "index" && Number(checked.value["v"]) < INDEX_VERSION;
}

/** True when there is an index. The last segment has one after a clean stop; every other segment must have one. */
async function compareIndex(
  { files, dataDir, findings }: JournalParts,
  span: SegmentSpan,
  index: LineIndex<LinePlace>,
  isLast: boolean,
): Promise<boolean> {
  const file = `log/${indexName(span.segment.name)}`;
  const place = { file, mend: { kind: "index", span } as const };
  let found: Buffer;
  try {
    found = await files.readFile(join(dataDir, file));
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
    if (!isLast) findings.note("indexes", "it is missing; the next start makes it", place);
    return false;
  }
  if (isOfOlderVersion(found)) {
    findings.note("indexes", "it has an older version; the daemon makes it again after its next start", place);
    return true;
  }
  if (!found.equals(await encodeIndex(span, index))) {
    findings.damage("indexes", "it is not what its segment gives", place);
  }
  return true;
}

/** What follows the last complete line: nothing, reserved space, a torn batch, or lines that were acknowledged. */
async function checkTail(
  parts: JournalParts,
  { end, segments, cutBytes, unused, replaced }: ReadJournal,
  snapshots: readonly NamedSnapshot[],
): Promise<void> {
  const { files, dataDir, findings } = parts;
  for (const name of [...replaced, ...(unused === undefined ? [] : [unused.name])]) {
    if (!(await isThere(files, join(dataDir, "log", name)))) continue;
    findings.note("journal", "it is no longer used; the next start removes it", {
      file: `log/${name}`,
      mend: { kind: "cut" },
    });
  }
  const last = segments.at(-1);
  if (last === undefined) return;
  const rest = await readFrom(files, join(dataDir, "log", last.name), end.bytes, cutBytes);
  const place = { file: `log/${last.name}`, offset: end.bytes, mend: { kind: "cut" } as const };
  const header = await findIndexHeader(files, join(dataDir, "log"), last);
  const witnesses = [header?.end, ...snapshots.map(({ snapshot }) => snapshot.end)];
  const acknowledged = Math.max(end.seq, ...witnesses.map((witness) => witness?.seq ?? 0));
  if (acknowledged > end.seq) {
    findings.damage("journal", `lines ${end.seq + 1} to ${acknowledged} were acknowledged. ${lostWords(rest)}`, place);
    removeFollowers(findings, end, snapshots);
    return;
  }
  const torn = rest.toString("latin1").trimEnd();
  if (torn === "") return;
  const message = `${torn.length} bytes of a batch that was never acknowledged; the next start cuts them off. ${lostWords(rest)}`;
  findings.note("journal", message, place);
}

/** Removes snapshots that contain lines which are given up. */
function removeFollowers(findings: Findings, { seq }: JournalEnd, snapshots: readonly NamedSnapshot[]): void {
  for (const { file, snapshot } of snapshots.filter((named) => named.snapshot.end.seq > seq)) {
    findings.damage("snapshots", `it knows lines up to ${snapshot.end.seq}, which cannot be read`, {
      file,
      mend: { kind: "remove", file },
    });
  }
}

/** Describes what is lost when the journal is cut there. */
function lostWords(rest: Buffer): string {
  const whole = [...validLinesFrom(rest, 0)].map(({ seq, content }) => {
    const run = typeof content["run"] === "string" ? ` of run ${content["run"]}` : "";
    return `line ${seq} (${String(content["t"])}${run})`;
  });
  const given = whole.length === 0 ? "no line that can be read" : whole.join(", ");
  return `Given up by a cut: what cannot be read there, and ${given}`;
}

async function readFrom(files: Files, path: string, offset: number, length: number): Promise<Buffer> {
  if (length === 0) return Buffer.alloc(0);
  const file = await files.openForReading(path);
  try {
    return await readFully(file, offset, length);
  } finally {
    await file.close();
  }
}

async function isThere(files: Files, path: string): Promise<boolean> {
  return await files.stat(path).then(
    () => true,
    () => false,
  );
}

function inFolder({ dataDir }: JournalParts, path: string): string {
  return path.startsWith(`${dataDir}/`) ? path.slice(dataDir.length + 1) : path;
}
