import type { IndexedDocument } from "../../../daemon/discovery/index/shard/forward-index.ts";

/** Something that finds documents by a query. Documents are numbered by their place in what it was built of. */
export interface Engine {
  /** At most so many documents, best first; nothing is left out for being a poor match. Odd queries are answered, too. */
  search(query: string, limit: number): readonly number[] | Promise<readonly number[]>;
  /** As `search`, without what its default floor leaves out. Engines that always answer have none. */
  searchAboveFloor?(query: string, limit: number): readonly number[];
  /** The same by a floor that was fitted without the collection at hand. */
  searchAboveHeldOutFloor?(query: string, limit: number): readonly number[];
  /** The best document with its score from 0 to 2; undefined when nothing is found. Engines whose score says nothing have none. */
  best?(query: string): ScoredDocument | undefined;
  /** Bytes that it holds outside of the JavaScript heap and its array buffers; nothing when left out. */
  outsideBytes?(): number;
  /** Keeps what was built as a file, so that it need not be built again. */
  save?(path: string): Promise<void>;
  close?(): void;
}

export interface ScoredDocument {
  readonly document: number;
  readonly score: number;
}

/** Makes an engine of documents, which come by provider slug and then by path; what it needs of them it keeps. */
export type BuildEngine = (documents: Iterable<IndexedDocument>) => Engine | Promise<Engine>;
