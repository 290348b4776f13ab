import { searchFields } from "../../documents/search-document.ts";
import { type FieldWeights, occurrenceWorth } from "../../documents/field-weights.ts";
import type { ForwardIndex } from "./forward-index.ts";
import { SEPARATOR } from "./shard.ts";
import type { Sections, ShardHeader } from "./shard-layout.ts";
import { packStrings } from "./string-table.ts";

/** The number of documents between two steps: well under a millisecond. */
const STEP_DOCUMENTS = 64;

export interface InvertOptions {
  readonly weights: FieldWeights;
  /** Mean lengths of the shard that this one complements; absent: its own. */
  readonly meanLengths?: readonly number[] | undefined;
}

type TermPostings = Pick<Sections, "postingStarts" | "postingDocuments" | "postingWeights">;

export interface ShardContent {
  readonly header: ShardHeader;
  readonly sections: Sections;
}

/** Turns terms by document into documents by term. */
export function* invert(forward: ForwardIndex, options: InvertOptions): Generator<void, ShardContent> {
  const { size, vectors } = forward;
  const fieldTerms = forward.fieldTerms.view();
  const starts = closed(forward.fieldStarts.view(), fieldTerms.length);
  const lengths = yield* lengthsOf(starts, fieldTerms);
  const meanLengths = options.meanLengths ?? meansOf(lengths, size);
  const postings = yield* postingsOf(
    { starts, fieldTerms, lengths, size, termCount: forward.stems.length },
    (field, length) => occurrenceWorth(options.weights, { field, length, meanLength: meanLengths[field] ?? 1 }),
  );
  const terms = packStrings(forward.stems, { canFind: true });
  yield;
  const paths = packStrings(forward.paths, { canFind: false });
  yield;
  const { groupNames, groupDigests } = forward;
  return {
    header: { size, dimensions: vectors.dimensions, meanLengths, groupNames, groupDigests },
    sections: {
      ...postings,
      ...vectors.views(),
      fieldTerms,
      fieldStarts: starts,
      termBytes: terms.bytes,
      termStarts: terms.starts,
      termSlots: terms.slots,
      pathBytes: paths.bytes,
      pathStarts: paths.starts,
      groups: forward.groups.view(),
      groupStarts: closed(Uint32Array.from(forward.groupStarts), size),
    },
  };
}

interface Terms {
  readonly starts: Uint32Array;
  readonly fieldTerms: Uint32Array;
  readonly lengths: Uint32Array;
  readonly size: number;
  readonly termCount: number;
}

function closed(starts: Uint32Array, end: number): Uint32Array {
  const all = new Uint32Array(starts.length + 1);
  all.set(starts);
  all[starts.length] = end;
  return all;
}

/** For each field of each document, without separators. */
function* lengthsOf(starts: Uint32Array, fieldTerms: Uint32Array): Generator<void, Uint32Array> {
  const lengths = new Uint32Array(starts.length - 1);
  for (let place = 0; place < lengths.length; place += 1) {
    let length = 0;
    const end = starts[place + 1] ?? 0;
    for (let at = starts[place] ?? 0; at < end; at += 1) if (fieldTerms[at] !== SEPARATOR) length += 1;
    lengths[place] = length;
    if (place % (STEP_DOCUMENTS * searchFields.length) === 0) yield;
  }
  return lengths;
}

function meansOf(lengths: Uint32Array, size: number): number[] {
  const totals = searchFields.map(() => 0);
  for (let place = 0; place < lengths.length; place += 1) {
    const field = place % searchFields.length;
    totals[field] = (totals[field] ?? 0) + (lengths[place] ?? 0);
  }
  return totals.map((total) => total / Math.max(1, size) || 1);
}

/** In two passes: first the number of documents of each term, then the documents and their weights. */
function* postingsOf(terms: Terms, worthOf: (field: number, length: number) => number): Generator<void, TermPostings> {
  const { starts, fieldTerms, lengths, size, termCount } = terms;
  const postingStarts = yield* countDocuments(terms);
  const total = postingStarts[termCount] ?? 0;
  const postingDocuments = new Uint32Array(total);
  const postingWeights = new Float32Array(total);
  const ends = postingStarts.slice();
  for (let document = 0; document < size; document += 1) {
    for (let field = 0; field < searchFields.length; field += 1) {
      const place = document * searchFields.length + field;
      const worth = worthOf(field, lengths[place] ?? 0);
      const end = starts[place + 1] ?? 0;
      for (let at = starts[place] ?? 0; at < end; at += 1) {
        const term = fieldTerms[at] ?? SEPARATOR;
        if (term === SEPARATOR) continue;
        const next = ends[term] ?? 0;
        const isFirst = next === postingStarts[term] || postingDocuments[next - 1] !== document;
        const posting = isFirst ? next : next - 1;
        if (isFirst) ends[term] = next + 1;
        postingDocuments[posting] = document;
        postingWeights[posting] = (postingWeights[posting] ?? 0) + worth;
      }
    }
    if (document % STEP_DOCUMENTS === 0) yield;
  }
  return { postingStarts, postingDocuments, postingWeights };
}

function* countDocuments({ starts, fieldTerms, size, termCount }: Terms): Generator<void, Uint32Array> {
  const counts = new Uint32Array(termCount + 1);
  const lastSeen = new Uint32Array(termCount);
  for (let document = 0; document < size; document += 1) {
    const end = starts[(document + 1) * searchFields.length] ?? 0;
    for (let at = starts[document * searchFields.length] ?? 0; at < end; at += 1) {
      const term = fieldTerms[at] ?? SEPARATOR;
      if (term === SEPARATOR || lastSeen[term] === document + 1) continue;
      lastSeen[term] = document + 1;
      counts[term + 1] = (counts[term + 1] ?? 0) + 1;
    }
    if (document % STEP_DOCUMENTS === 0) yield;
  }
  for (let term = 0; term < termCount; term += 1) counts[term + 1] = (counts[term + 1] ?? 0) + (counts[term] ?? 0);
  return counts;
}
