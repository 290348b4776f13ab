import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { z } from "zod";

/*
 * The collections of MKT_EVAL_DIR, read where they lie. Each is a folder: `catalog.ndjson.gz`, and with judgements also
 * `dev/queries.ndjson` and `dev/qrels.ndjson`. The README there has their sources and licences.
 */

/** The seven whose mean is told, in the order of that README. */
export const DEVELOPMENT = [
  "toolbench",
  "sealtools",
  "bfcl-live",
  "metatool",
  "restbench",
  "toolalpaca",
  "nestful",
] as const;
/** Has the queries of two of the seven, so it is no part of their mean. */
export const HAYSTACK = "haystack";
/** No queries: for scale. */
export const BIG = "big";

/** All that have queries. */
export const JUDGED: readonly string[] = [...DEVELOPMENT, HAYSTACK];

const CollectedEndpoint = z.object({
  id: z.string(),
  provider: z.string(),
  endpoint: z.string(),
  displayName: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  params: z.array(z.object({ name: z.string(), description: z.string() })),
});
/** One endpoint as a collection has it. `endpoint` may begin with a method: `GET /me/albums`. */
export type CollectedEndpoint = z.infer<typeof CollectedEndpoint>;

const Query = z.object({ qid: z.string(), q: z.string() });
export type Query = z.infer<typeof Query>;
const OffTopicQuery = Query.extend({ kind: z.string() });
export type OffTopicQuery = z.infer<typeof OffTopicQuery>;
const Judgement = z.object({ qid: z.string(), id: z.string(), rel: z.number() });

/** By query id: what of the collection answers it, and how well: 1 in part, 2 in full. */
export type Judgements = ReadonlyMap<string, ReadonlyMap<string, number>>;

export interface Collection {
  readonly name: string;
  readonly endpoints: readonly CollectedEndpoint[];
}

export interface JudgedCollection extends Collection {
  readonly queries: readonly Query[];
  readonly judgements: Judgements;
}

/** Where the collections are: MKT_EVAL_DIR, else `shared/eval` beside the project; undefined where there is none. */
export function findEvalDir(projectDir: string, environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const dir = resolve(environment["MKT_EVAL_DIR"] ?? join(projectDir, "..", "shared", "eval"));
  return existsSync(join(dir, "toolbench", "catalog.ndjson.gz")) ? dir : undefined;
}

/** Throws where a file is missing or a line is not what it should be. */
export function loadJudgedCollection(evalDir: string, name: string): JudgedCollection {
  const folder = join(evalDir, name, "dev");
  return {
    ...loadCollection(evalDir, name),
    queries: readLines(readFileSync(join(folder, "queries.ndjson"), "utf8"), Query),
    judgements: groupJudgements(readLines(readFileSync(join(folder, "qrels.ndjson"), "utf8"), Judgement)),
  };
}

/** As `loadJudgedCollection`, the endpoints alone. */
export function loadCollection(evalDir: string, name: string): Collection {
  const text = gunzipSync(readFileSync(join(evalDir, name, "catalog.ndjson.gz"))).toString("utf8");
  return { name, endpoints: readLines(text, CollectedEndpoint) };
}

/** Queries that no collection answers; `kind` "mash" is keyboard mash. */
export function loadOffTopic(evalDir: string): OffTopicQuery[] {
  return readLines(readFileSync(join(evalDir, "offtopic", "queries.ndjson"), "utf8"), OffTopicQuery);
}

function groupJudgements(lines: readonly z.infer<typeof Judgement>[]): Judgements {
  const byQuery = new Map<string, Map<string, number>>();
  for (const { qid, id, rel } of lines) {
    const judged = byQuery.get(qid) ?? new Map<string, number>();
    byQuery.set(qid, judged.set(id, rel));
  }
  return byQuery;
}

function readLines<Line>(text: string, schema: z.ZodType<Line>): Line[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => schema.parse(JSON.parse(line)));
}
