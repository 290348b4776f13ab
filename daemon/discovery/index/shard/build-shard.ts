import { FIELD_WEIGHTS, type FieldWeights } from "../../documents/field-weights.ts";
import { ForwardIndex, type IndexedDocument, type VectorOf } from "./forward-index.ts";
import { invert } from "./invert.ts";
import { openSegment, type Segment } from "./shard.ts";
import { writeSections } from "./shard-layout.ts";

/** What an index is made with, beside the documents. */
export interface IndexingOptions {
  readonly weights?: FieldWeights | undefined;
  /** Absent: documents have no vectors. */
  readonly vectorOf?: VectorOf | undefined;
}

export type ProviderDocument = Pick<IndexedDocument, "path" | "fields">;

/** The documents of one provider, in the order of their paths. */
export interface ProviderDocuments {
  readonly provider: string;
  /** Tells these documents from others. */
  readonly digest: string;
  readonly documents: Iterable<ProviderDocument>;
}

/** Some documents of a segment: those of the providers with these numbers. */
export interface SegmentShare {
  readonly segment: Segment;
  readonly groups: readonly number[];
}

/** Providers come in the order of their slugs. Between two steps is a millisecond, but for a very long document. */
export function* gatherDocuments(forward: ForwardIndex, providers: Iterable<ProviderDocuments>): Generator<void, void> {
  for (const { provider, digest, documents } of providers) {
    forward.beginGroup(provider, digest);
    for (const { path, fields } of documents) {
      forward.add(path, fields);
      yield;
    }
  }
}

/**
 * The segment of these providers' documents. With `meanLengths` those of the segment that it is to stand beside, so that
 * weights of both can be compared; a segment without them is a whole index.
 */
export function* finishSegment(
  forward: ForwardIndex,
  { weights = FIELD_WEIGHTS }: IndexingOptions,
  meanLengths?: readonly number[],
): Generator<void, Segment> {
  const { header, sections } = yield* invert(forward, { weights, meanLengths });
  return openSegment(writeSections(header, sections));
}

export function* buildSegmentInSteps(
  providers: Iterable<ProviderDocuments>,
  options: IndexingOptions = {},
  meanLengths?: readonly number[],
): Generator<void, Segment> {
  const forward = new ForwardIndex(options);
  yield* gatherDocuments(forward, providers);
  return yield* finishSegment(forward, options, meanLengths);
}

/** One segment of what is still wanted of several: the same, byte by byte, as one built of the texts of these documents. */
export function* mergeSegmentsInSteps(
  shares: readonly SegmentShare[],
  options: IndexingOptions = {},
): Generator<void, Segment> {
  const expectedSize = shares.reduce((sum, { segment }) => sum + segment.size, 0);
  const forward = new ForwardIndex({ expectedSize });
  const sources = shares.map(({ segment, groups }) => ({ segment, groups, terms: new Uint32Array(segment.termCount) }));
  const wanted = sources.flatMap(({ groups, ...source }) =>
    groups.map((group) => ({ ...source, group, name: source.segment.groupNames[group] ?? "" })),
  );
  for (const { segment, group, name, terms } of wanted.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    forward.beginGroup(name, segment.groupDigests[group] ?? "");
    const end = segment.groupStarts[group + 1] ?? 0;
    for (let document = segment.groupStarts[group] ?? 0; document < end; document += 1) {
      forward.addFrom(segment, document, terms);
      if (document % 64 === 0) yield;
    }
  }
  return yield* finishSegment(forward, options);
}

/** Documents in any order, with providers told apart by their slugs; for whoever has them at hand and may wait. */
export function buildSegment(documents: readonly IndexedDocument[], options: IndexingOptions = {}): Segment {
  return runAtOnce(buildSegmentInSteps(byProvider(documents), options));
}

function byProvider(documents: readonly IndexedDocument[]): ProviderDocuments[] {
  const sorted = documents.toSorted((a, b) => compareText(a.provider, b.provider) || compareText(a.path, b.path));
  const groups = new Map<string, IndexedDocument[]>();
  for (const document of sorted) {
    const own = groups.get(document.provider);
    if (own === undefined) groups.set(document.provider, [document]);
    else own.push(document);
  }
  return [...groups].map(([provider, own]) => ({ provider, digest: "", documents: own }));
}

export function runAtOnce<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

export function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
