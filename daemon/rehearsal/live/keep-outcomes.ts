import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { replaceFile } from "../../../shared/replace-file.ts";
import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import { parseCatalogText } from "../../catalog/parsing/parse-catalog-text.ts";
import { editMembers, EditRefused, type MemberEdit } from "./edit-members.ts";
import type { TriedExample } from "./live-plan.ts";

/** The result for a file after its endpoints were tried. */
export interface KeptOutcome {
  readonly file: string;
  /** Public paths whose `verified: false` was removed. */
  readonly verified: readonly string[];
  /** The number of answers that were recorded. */
  readonly recorded: number;
  /** What was not saved, and why. */
  readonly notes: readonly string[];
}

export interface KeepOptions {
  readonly record: boolean;
  readonly untouched: readonly string[];
  /** Today, ISO 8601. */
  readonly date: string;
}

/** Recorded answers are for reading; a larger one is no more useful. */
const MAX_RECORDED_CHARACTERS = 65_536;

/** Writes the results of live trials to the files; for each file, all or nothing. */
export async function keepOutcomes(tried: readonly TriedExample[], options: KeepOptions): Promise<KeptOutcome[]> {
  const kept: KeptOutcome[] = [];
  for (const [file, trials] of groupByFile(tried)) {
    const outcome = await keepInFile(file, trials, options);
    if (outcome.verified.length > 0 || outcome.recorded > 0 || outcome.notes.length > 0) kept.push(outcome);
  }
  return kept;
}

function groupByFile(tried: readonly TriedExample[]): ReadonlyMap<string, readonly TriedExample[]> {
  const groups = new Map<string, TriedExample[]>();
  for (const one of tried) {
    const { file } = one.trial.entry.provider;
    groups.set(file, [...(groups.get(file) ?? []), one]);
  }
  return groups;
}

async function keepInFile(
  file: string,
  tried: readonly TriedExample[],
  { record, untouched, date }: KeepOptions,
): Promise<KeptOutcome> {
  const entries = new Set(tried.map(({ trial }) => trial.entry));
  const verified = [...entries].filter((entry) => isProven(entry, tried));
  const recordings = record ? tried.map((one) => recordingEdits(one, date)) : [];
  const notes = recordings.flatMap(({ note }) => note ?? []);
  const nothing: KeptOutcome = { file, verified: [], recorded: 0, notes };
  const edits: MemberEdit[] = [
    ...verified.map(({ path }) => ({ path: ["endpoints", path], name: "verified", value: undefined })),
    ...recordings.flatMap((recording) => recording.edits),
  ];
  if (edits.length === 0) return nothing;
  if (untouched.some((dir) => resolve(dir) === dirname(resolve(file)))) {
    return { ...nothing, notes: [...notes, "it came with the program and is not changed; name its path to change it"] };
  }
  try {
    await replaceText(file, [...entries][0]?.provider.manifestHash ?? "", (text) => editMembers(text, edits));
  } catch (error) {
    if (!(error instanceof EditRefused)) throw error;
    return { ...nothing, notes: [...notes, error.message] };
  }
  return {
    file,
    verified: verified.map(({ path }) => path),
    recorded: recordings.filter((recording) => recording.edits.length > 0).length,
    notes,
  };
}

/** All of its examples were tried successfully. */
function isProven(entry: CatalogEntry, tried: readonly TriedExample[]): boolean {
  const own = tried.filter(({ trial }) => trial.entry === entry);
  const isWhole = own.length === entry.examples.length;
  return !entry.verified && isWhole && own.every(({ findings }) => findings.length === 0);
}

interface RecordedEdits {
  readonly edits: readonly MemberEdit[];
  readonly note?: string;
}

/** The answer, already redacted, and the expected result of a replay. */
function recordingEdits({ trial, findings, answer, run }: TriedExample, date: string): RecordedEdits {
  const { entry, example, index } = trial;
  const name = `${entry.path} "${example.name}"`;
  if (findings.length > 0 || answer === undefined) return { edits: [], note: `${name} is not recorded: it failed` };
  if (example.responses !== undefined) {
    return { edits: [], note: `${name} is not recorded: it has responses of its own, which a person wrote` };
  }
  if (/"header:/.test(JSON.stringify([entry.usage, entry.errors]))) {
    return { edits: [], note: `${name} is not recorded: its endpoint reads headers, which are not kept` };
  }
  const size = JSON.stringify(answer.body ?? null).length;
  if (size > MAX_RECORDED_CHARACTERS) {
    return { edits: [], note: `${name} is not recorded: its answer has ${size} characters; let it ask for less` };
  }
  const path = ["endpoints", entry.path, "examples", index];
  const status = answer.attempts.at(-1)?.httpStatus ?? answer.httpStatus;
  const count = answer.success ? answer.measured.count : undefined;
  const expected = {
    ...(count !== undefined && { count }),
    ...(entry.price.type !== "METERED" && { costMicroDollars: run.billing?.reported ?? 0 }),
    httpStatus: answer.httpStatus,
  };
  return {
    edits: [
      { path, name: "source", value: `live ${date}` },
      { path, name: "response", value: { status, body: answer.body ?? null } },
      { path, name: "expect", value: expected },
    ],
  };
}

/** Atomically, with the file's own permissions; only if the file has not changed since it was loaded. */
async function replaceText(file: string, hash: string, change: (text: string) => string): Promise<void> {
  const bytes = await readFile(file);
  if (createHash("sha256").update(bytes).digest("hex") !== hash) {
    throw new EditRefused("the file was changed in the meantime and is left as it is; test it again");
  }
  const text = change(bytes.toString());
  const parsed = await parseCatalogText(text, file);
  if ("problems" in parsed) {
    const [problem] = parsed.problems;
    throw new EditRefused(
      `nothing is kept, because a catalog file may not hold this answer: ${problem?.message ?? ""}`,
    );
  }
  await replaceFile(file, text);
}
