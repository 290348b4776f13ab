import { compareText } from "../../../base/compare-text.ts";
import { FIELD_WEIGHTS, type FieldWeights } from "../../documents/field-weights.ts";
import { ForwardIndex, type IndexedDocument, type VectorOf } from "./forward-index.ts";
import { invert } from "./invert.ts";
import { openShard, type Shard } from "./shard.ts";
import { writeSections } from "./shard-layout.ts";

/** What an index needs beside the documents. */
export interface IndexingOptions {
  readonly weights?: FieldWeights | undefined;
  /** Absent: documents have no vectors. */
  readonly vectorOf?: VectorOf | undefined;
}

export type ProviderDocument = Pick<IndexedDocument, "path" | "fields">;

/** The documents of one provider, in the order of their paths. */
export interface ProviderDocuments {
  readonly provider: string;
  /** Identifies the content of these documents. */
  readonly digest: string;
  readonly documents: Iterable<ProviderDocument>;
}

/** Some documents of a shard: those of the providers with these numbers. */
export interface ShardShare {
  readonly shard: Shard;
  readonly groups: readonly number[];
}

/** Providers come in the order of their slugs. A step takes about a millisecond, except for a very long document. */
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
 * The shard of these providers' documents. `meanLengths` are those of the shard that it complements, so that the
 * weights of both can be compared; without them the shard is a whole index.
 */
export function* finishShard(
  forward: ForwardIndex,
  { weights = FIELD_WEIGHTS }: IndexingOptions,
  meanLengths?: readonly number[],
): Generator<void, Shard> {
  const { header, sections } = yield* invert(forward, { weights, meanLengths });
  return openShard(writeSections(header, sections));
}

export function* buildShardInSteps(
  providers: Iterable<ProviderDocuments>,
  options: IndexingOptions = {},
  meanLengths?: readonly number[],
): Generator<void, Shard> {
  const forward = new ForwardIndex(options);
  yield* gatherDocuments(forward, providers);
  return yield* finishShard(forward, options, meanLengths);
}

/**
 * Merges the live parts of several shards into one: byte for byte the same as one built from the texts of these
 * documents.
 */
export function* mergeShardsInSteps(
  shares: readonly ShardShare[],
  options: IndexingOptions = {},
): Generator<void, Shard> {
  const expectedSize = shares.reduce((sum, { shard }) => sum + shard.size, 0);
  const forward = new ForwardIndex({ expectedSize });
  const sources = shares.map(({ shard, groups }) => ({ shard, groups, terms: new Uint32Array(shard.termCount) }));
  const wanted = sources.flatMap(({ groups, ...source }) =>
    groups.map((group) => ({ ...source, group, name: source.shard.groupNames[group] ?? "" })),
  );
  for (const { shard, group, name, terms } of wanted.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    forward.beginGroup(name, shard.groupDigests[group] ?? "");
    const end = shard.groupStarts[group + 1] ?? 0;
    for (let document = shard.groupStarts[group] ?? 0; document < end; document += 1) {
      forward.addFrom(shard, document, terms);
      if (document % 64 === 0) yield;
    }
  }
  return yield* finishShard(forward, options);
}

/** Builds a shard at once from documents in any order, grouped by the slugs of their providers. */
export function buildShard(documents: readonly IndexedDocument[], options: IndexingOptions = {}): Shard {
  return runAtOnce(buildShardInSteps(byProvider(documents), options));
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
