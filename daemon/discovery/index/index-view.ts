import { compareText } from "../../base/compare-text.ts";
import { searchFields } from "../documents/search-document.ts";
import type { Shard } from "./shard/shard.ts";

/** A shard and which of its documents are still served. Document numbers are those of the shard. */
export interface LiveShard {
  readonly shard: Shard;
  /** Added to a document's number in the shard, it gives the number in the view. */
  readonly offset: number;
  /** 1 for each document that is no longer served, or is served by another shard; absent when there is none. */
  readonly dead?: Uint8Array;
}

/** The whole index at one time; immutable. */
export interface IndexView {
  readonly shards: readonly LiveShard[];
  /** How many documents are served. */
  readonly size: number;
  /** Greater than every document's number. */
  readonly bound: number;
  /** The exact number of served documents that have the stem. */
  documentsWith(stem: string): number;
  /** The shard that has the document. Throws a RangeError for a number that no document has. */
  partOf(document: number): LiveShard;
  /** Throws as `partOf` does. */
  placeOf(document: number): DocumentPlace;
  /** By provider slug, then by path: the order of documents with equal rank, however the index was built. */
  compare(a: number, b: number): number;
}

export interface DocumentPlace {
  readonly provider: string;
  readonly path: string;
}

/** A shard with the numbers of the providers that it serves. */
export interface ServedShard {
  readonly shard: Shard;
  /** Absent: all of them. */
  readonly groups?: ReadonlySet<number> | undefined;
}

export function createIndexView(served: readonly ServedShard[]): IndexView {
  let bound = 0;
  const parts = served.map((each) => {
    const part = livePart(each, bound);
    bound += each.shard.size;
    return part;
  });

  function partOf(document: number): LivePart {
    const part = parts.length === 1 ? parts[0] : parts.findLast(({ offset }) => offset <= document);
    if (part === undefined || !(document >= 0 && document < bound))
      throw new RangeError(`the index has no document ${document}`);
    return part;
  }

  function placeOf(document: number): DocumentPlace {
    const { shard, offset } = partOf(document);
    const local = document - offset;
    return { provider: shard.groupNames[shard.groups[local] ?? -1] ?? "", path: shard.pathOf(local) };
  }

  return {
    shards: parts,
    size: parts.reduce((sum, { liveSize }) => sum + liveSize, 0),
    bound,
    documentsWith: (stem) => parts.reduce((sum, part) => sum + part.documentsWith(stem), 0),
    partOf,
    placeOf,
    compare(a, b) {
      // Within a shard, the order of the numbers is that order.
      if (parts.length === 1) return a - b;
      const [first, second] = [placeOf(a), placeOf(b)];
      return compareText(first.provider, second.provider) || compareText(first.path, second.path);
    },
  };
}

/** An index with a single shard, all of it served. */
export function viewOf(shard: Shard): IndexView {
  return createIndexView([{ shard }]);
}

interface LivePart extends LiveShard {
  readonly liveSize: number;
  documentsWith(stem: string): number;
}

function livePart({ shard, groups }: ServedShard, offset: number): LivePart {
  const documentsOf = (term: number) => (shard.postingStarts[term + 1] ?? 0) - (shard.postingStarts[term] ?? 0);
  const dead = groups === undefined ? undefined : deadDocuments(shard, groups);
  if (dead === undefined) {
    const documentsWith = (stem: string) => {
      const term = shard.termOf(stem);
      return term < 0 ? 0 : documentsOf(term);
    };
    return { shard, offset, liveSize: shard.size, documentsWith };
  }
  return {
    shard,
    offset,
    dead: dead.documents,
    liveSize: shard.size - dead.count,
    documentsWith(stem) {
      const term = shard.termOf(stem);
      return term < 0 ? 0 : documentsOf(term) - (dead.frequencies[term] ?? 0);
    },
  };
}

interface DeadDocuments {
  readonly documents: Uint8Array;
  readonly count: number;
  /** The number of dead documents that have each term. */
  readonly frequencies: Uint32Array;
}

/** Undefined when all are served. */
function deadDocuments(shard: Shard, served: ReadonlySet<number>): DeadDocuments | undefined {
  if (served.size === shard.groupNames.length) return undefined;
  const documents = new Uint8Array(shard.size);
  const frequencies = new Uint32Array(shard.termCount);
  const countTerms = createTermCounting(shard, frequencies);
  let count = 0;
  for (let group = 0; group < shard.groupNames.length; group += 1) {
    if (served.has(group)) continue;
    const end = shard.groupStarts[group + 1] ?? 0;
    for (let document = shard.groupStarts[group] ?? 0; document < end; document += 1) {
      documents[document] = 1;
      countTerms(document);
      count += 1;
    }
  }
  return { documents, count, frequencies };
}

/** Returns a function that adds one for each term of a document. */
function createTermCounting(shard: Shard, frequencies: Uint32Array): (document: number) => void {
  const { fieldStarts, fieldTerms } = shard;
  const fields = searchFields.length;
  const lastSeen = new Uint32Array(shard.termCount);
  return (document) => {
    const end = fieldStarts[(document + 1) * fields] ?? 0;
    for (let at = fieldStarts[document * fields] ?? 0; at < end; at += 1) {
      const term = fieldTerms[at] ?? 0;
      if (lastSeen[term] === document + 1) continue;
      lastSeen[term] = document + 1;
      frequencies[term] = (frequencies[term] ?? 0) + 1;
    }
  };
}
