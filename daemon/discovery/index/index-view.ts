import { searchFields } from "../documents/search-document.ts";
import { compareText } from "./shard/build-shard.ts";
import type { Shard } from "./shard/shard.ts";

/** A shard with what of it is still served. Documents are numbered as the shard numbers them. */
export interface LiveShard {
  readonly shard: Shard;
  /** Added to a document's number in the shard it gives that in the view. */
  readonly offset: number;
  /** 1 for each document that is served no more, or by another shard; absent when there is none. */
  readonly dead?: Uint8Array;
}

/** The whole index as it is at one time, never changed. */
export interface IndexView {
  readonly shards: readonly LiveShard[];
  /** How many documents are served. */
  readonly size: number;
  /** Above every document's number. */
  readonly bound: number;
  /** How many documents that are served have the stem, exactly. */
  documentsWith(stem: string): number;
  /** The shard that has the document. Throws a RangeError for a number that no document has. */
  partOf(document: number): LiveShard;
  /** Throws as `partOf` does. */
  placeOf(document: number): DocumentPlace;
  /** By provider slug, then by path: how documents that rank alike are ordered, whichever way the index came about. */
  compare(a: number, b: number): number;
}

export interface DocumentPlace {
  readonly provider: string;
  readonly path: string;
}

/** A shard with the numbers of the providers that are served by it. */
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
      // Within a shard the numbers have that order.
      if (parts.length === 1) return a - b;
      const [first, second] = [placeOf(a), placeOf(b)];
      return compareText(first.provider, second.provider) || compareText(first.path, second.path);
    },
  };
}

/** An index that is one shard, all of it served. */
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
  /** How many of them have each term. */
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

/** Adds one for each term that a document has. */
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
