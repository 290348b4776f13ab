import { isRecord } from "../../../../shared/is-record.ts";
import { nonsense, placeOf } from "./answer-shape.ts";
import type { ServiceCaller } from "./service-caller.ts";

/** A reranker's score of one document, on a scale of its own. */
export interface RerankResult {
  /** Index of the document in the request. */
  readonly index: number;
  readonly score: number;
}

/** A query and documents → the relevance of each, by an endpoint of the shape that Cohere and Jina have. */
export interface RerankClient {
  /** Each document at most once, in any order. Rejects with `ServiceFailed`. */
  rerank(
    query: string,
    documents: readonly string[],
    limits: { readonly timeoutMs: number },
  ): Promise<readonly RerankResult[]>;
  close(): Promise<void>;
}

/** Some services repeat the documents in the answer, with any escapes. */
const BYTES_PER_CHARACTER = 6;
const BYTES_BESIDE_DOCUMENTS = 262_144;

export function createRerankClient({
  caller,
  model,
}: {
  readonly caller: ServiceCaller;
  readonly model: string;
}): RerankClient {
  return {
    async rerank(query, documents, { timeoutMs }) {
      const characters = documents.reduce((sum, { length }) => sum + length, 0);
      const maxResponseBytes = BYTES_BESIDE_DOCUMENTS + characters * BYTES_PER_CHARACTER;
      const body = { model, query, documents, top_n: documents.length };
      return readRerankResults(await caller.post(body, { timeoutMs, maxResponseBytes }), documents.length);
    },
    close: () => caller.close(),
  };
}

/** Throws ServiceFailed when the answer does not fit the documents that were sent. */
export function readRerankResults(answer: unknown, count: number): readonly RerankResult[] {
  const results = isRecord(answer) ? answer["results"] : undefined;
  if (!Array.isArray(results) || results.length === 0) throw nonsense("its answer has no list `results`");
  const taken = new Set<number>();
  return results.map((result: unknown) => {
    if (!isRecord(result)) throw nonsense("its answer has a result that is none");
    const index = placeOf(result["index"], count, taken);
    const score = result["relevance_score"];
    if (typeof score !== "number" || !Number.isFinite(score))
      throw nonsense("its answer has a score that is no number");
    taken.add(index);
    return { index, score };
  });
}
