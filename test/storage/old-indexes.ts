import { decodeChecked, encodeChecked } from "../../daemon/storage/journal/segments/checked-text.ts";
import { INDEX_HEADER_BYTES } from "../../daemon/storage/journal/indexes/index-file.ts";
import type { Starts } from "./starts.ts";

export async function indexNames(starts: Starts): Promise<string[]> {
  return (await starts.names("log")).filter((name) => name.endsWith(".idx"));
}

export async function contentsOf(starts: Starts, names: readonly string[]): Promise<string[]> {
  return await Promise.all(names.map(async (name) => String(await starts.disk.files.readFile(`/data/log/${name}`))));
}

/** Puts indexes in the place of these, and snapshots, as an earlier version wrote them. */
export async function makeOld(starts: Starts, names: readonly string[], version: OldVersion = 2): Promise<void> {
  await makeIndexesOld(starts, names, version);
  for (const name of await starts.names("state")) {
    const path = `/data/state/${name}`;
    const { c: _check, ...content } = checkedValue((await starts.disk.files.readFile(path)).subarray(0, -1));
    starts.disk.replace(path, encodeChecked({ ...content, v: 3 }));
  }
}

/** The snapshots stay. */
export async function makeIndexesOld(starts: Starts, names: readonly string[], version: OldVersion): Promise<void> {
  for (const name of names) {
    const path = `/data/log/${name}`;
    starts.disk.replace(path, asVersion(version, await starts.disk.files.readFile(path)));
  }
}

type OldVersion = 2 | 3 | 4;
/** Sections that came later than version 2. */
const SINCE: Readonly<Record<string, number>> = { terms: 3, sums: 4, ended: 5 };

type Place = readonly [offset: number, length: number];

/** Version 2 had no terms, version 3 no sums, version 4 no ended resources: all that comes after them stood elsewhere. */
export function asVersion(version: OldVersion, bytes: Buffer): Buffer {
  const {
    idFilter,
    keyFilter,
    termFilter,
    footer: footerAt,
    oldestRun,
    ended: _ended,
    rentedAt: _rentedAt,
    c: _check,
    ...rest
  } = checkedValue(bytes.subarray(0, INDEX_HEADER_BYTES - 1)) as Record<string, Place>;
  const pieceAt = ([offset, length]: Place = [0, 0]) => bytes.subarray(offset, offset + length + 1);
  const { c: _c, starts, fences, ...footer } = checkedValue(pieceAt(footerAt).subarray(0, -1));
  const sections = Object.entries(fences as Record<string, (readonly (string | number)[])[]>);
  const isKept = (section: string) => (SINCE[section] ?? 0) <= version;
  const dropped = sections.filter(([section]) => !isKept(section)).flatMap(([, rows]) => rows);
  const rowsEnd = Number(dropped[0]?.at(-2) ?? idFilter?.[0]);
  const pieces = [bytes.subarray(INDEX_HEADER_BYTES, rowsEnd)];
  let end = rowsEnd;
  const append = (piece: Buffer): Place => {
    pieces.push(piece);
    end += piece.length;
    return [end - piece.length, piece.length - 1];
  };
  const places = {
    idFilter: append(pieceAt(idFilter)),
    keyFilter: append(pieceAt(keyFilter)),
    ...(version > 2 && { oldestRun, termFilter: append(pieceAt(termFilter)) }),
    footer: append(
      encodeChecked({
        ...footer,
        ...(version > 2 && { starts }),
        fences: Object.fromEntries(sections.filter(([section]) => isKept(section))),
      }),
    ),
  };
  const old = { ...rest, ...places, v: version, pad: "" };
  const missing = INDEX_HEADER_BYTES - encodeChecked(old).length;
  return Buffer.concat([encodeChecked({ ...old, pad: " ".repeat(missing) }), ...pieces]);
}

function checkedValue(bytes: Buffer): Readonly<Record<string, unknown>> {
  const checked = decodeChecked(bytes);
  if (typeof checked === "string") throw new Error(checked);
  return checked.value;
}
