/**
 * How a shard lies in one buffer:
 *
 *   4 bytes   length of the header, n
 *   n bytes   the header as JSON, with the place and length of every section
 *   then      the sections, each at a multiple of 8
 */
const sectionTypes = {
  termBytes: Uint8Array,
  termStarts: Uint32Array,
  termSlots: Uint32Array,
  postingStarts: Uint32Array,
  postingDocuments: Uint32Array,
  postingWeights: Float32Array,
  fieldStarts: Uint32Array,
  fieldTerms: Uint32Array,
  vectors: Int8Array,
  vectorScales: Float32Array,
  groups: Uint32Array,
  groupStarts: Uint32Array,
  pathBytes: Uint8Array,
  pathStarts: Uint32Array,
} as const;

/** The large parts of a shard; `shard.ts` and `string-table.ts` describe their meaning. */
export interface Sections {
  readonly termBytes: Uint8Array;
  readonly termStarts: Uint32Array;
  readonly termSlots: Uint32Array;
  readonly postingStarts: Uint32Array;
  readonly postingDocuments: Uint32Array;
  readonly postingWeights: Float32Array;
  readonly fieldStarts: Uint32Array;
  readonly fieldTerms: Uint32Array;
  readonly vectors: Int8Array;
  readonly vectorScales: Float32Array;
  readonly groups: Uint32Array;
  readonly groupStarts: Uint32Array;
  readonly pathBytes: Uint8Array;
  readonly pathStarts: Uint32Array;
}

/** The small parts of a shard. */
export interface ShardHeader {
  readonly size: number;
  readonly dimensions: number;
  readonly meanLengths: readonly number[];
  readonly groupNames: readonly string[];
  readonly groupDigests: readonly string[];
}

interface WrittenHeader {
  readonly header: ShardHeader;
  /** By name: number of elements. */
  readonly lengths: Readonly<Record<keyof Sections, number>>;
}

const ALIGNMENT = 8;
const LENGTH_BYTES = 4;
const sectionNames = Object.keys(sectionTypes) as (keyof Sections)[];

/** The same parts always give the same bytes. */
export function writeSections(header: ShardHeader, sections: Sections): SharedArrayBuffer {
  const lengths = Object.fromEntries(sectionNames.map((name) => [name, sections[name].length]));
  const head = new TextEncoder().encode(JSON.stringify({ header, lengths }));
  let end = LENGTH_BYTES + head.length;
  const places = sectionNames.map((name) => {
    const start = aligned(end);
    end = start + sections[name].byteLength;
    return { name, start };
  });
  const buffer = new SharedArrayBuffer(end);
  new DataView(buffer).setUint32(0, head.length, true);
  const bytes = new Uint8Array(buffer);
  bytes.set(head, LENGTH_BYTES);
  for (const { name, start } of places) {
    const section = sections[name];
    bytes.set(new Uint8Array(section.buffer, section.byteOffset, section.byteLength), start);
  }
  return buffer;
}

/** Views on the buffer. Throws when `writeSections` cannot have made it. */
export function readSections(buffer: SharedArrayBuffer): { header: ShardHeader; sections: Sections } {
  const headLength = new DataView(buffer).getUint32(0, true);
  const text = new TextDecoder().decode(new Uint8Array(buffer, LENGTH_BYTES, headLength).slice());
  const { header, lengths } = JSON.parse(text) as WrittenHeader;
  let end = LENGTH_BYTES + headLength;
  const sections = sectionNames.map((name) => {
    const start = aligned(end);
    const SectionType: new (of: ArrayBufferLike, from: number, length: number) => ArrayBufferView = sectionTypes[name];
    const section = new SectionType(buffer, start, lengths[name]);
    end = start + section.byteLength;
    return [name, section];
  });
  return { header, sections: Object.fromEntries(sections) as Sections };
}

function aligned(place: number): number {
  return Math.ceil(place / ALIGNMENT) * ALIGNMENT;
}
