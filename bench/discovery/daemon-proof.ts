import { type JudgedCollection, loadJudgedCollection } from "./collections.ts";
import { buildOurs } from "./engines/ours.ts";
import { answerAll } from "./evaluate.ts";
import { type Answers, measureQuality } from "./metrics.ts";
import { placeEndpoints, serveCollection, toManifests } from "./served-collection.ts";
import { table } from "./tables.ts";

/** A started daemon that serves manifests and nothing else. */
export interface ServingDaemon {
  readonly url: string;
  readonly key: string;
  stop(): Promise<void>;
}

export interface ProofSurroundings {
  readonly evalDir: string;
  readonly serve: (manifests: ReadonlyMap<string, object>) => Promise<ServingDaemon>;
}

/** The longest query that the contract takes. */
const LONGEST_QUERY = 1_000;

/**
 * Asks a daemon what the benchmark asks the ranking in its own process: each query of a collection by
 * `POST /v1/discover/endpoints`, without a floor. Prints the figures of both, and for how many queries the first ten differ.
 */
export async function proveByDaemon(name: string, { evalDir, serve }: ProofSurroundings): Promise<void> {
  const judged = withShortQueries(loadJudgedCollection(evalDir, name));
  const { ids, documents } = serveCollection(judged);
  const inProcess = await answerAll(await buildOurs(documents()), judged, ids);
  const daemon = await serve(toManifests(placeEndpoints(judged.endpoints)));
  try {
    const byDaemon = await askAll(daemon, judged);
    const differing = judged.queries.filter(
      ({ qid }) => (inProcess.get(qid) ?? []).join("\n") !== (byDaemon.get(qid) ?? []).join("\n"),
    );
    console.log(
      table([
        [`${name}: ${judged.queries.length} queries`, "nDCG@10", "recall@10", "MRR@10"],
        ["through the daemon", ...figures(judged, byDaemon)],
        ["in process", ...figures(judged, inProcess)],
      ]),
    );
    console.log(`\nThe first ten differ for ${differing.length} queries.`);
    for (const { qid, q } of differing.slice(0, 5)) {
      console.log(`\n${qid}: ${q}\n  daemon:     ${byDaemon.get(qid)?.join(", ")}`);
      console.log(`  in process: ${inProcess.get(qid)?.join(", ")}`);
    }
  } finally {
    await daemon.stop();
  }
}

function figures({ judgements }: JudgedCollection, answers: Answers): string[] {
  const { ndcg10, recall10, mrr10 } = measureQuality(judgements, answers);
  return [ndcg10, recall10, mrr10].map((share) => (100 * share).toFixed(1));
}

function withShortQueries(judged: JudgedCollection): JudgedCollection {
  return { ...judged, queries: judged.queries.map(({ qid, q }) => ({ qid, q: q.slice(0, LONGEST_QUERY) })) };
}

async function askAll({ url, key }: ServingDaemon, { queries, endpoints }: JudgedCollection): Promise<Answers> {
  const idOf = new Map(
    placeEndpoints(endpoints).map(({ collected, provider, path }) => [`${provider} ${path}`, collected.id]),
  );
  const answers = new Map<string, readonly string[]>();
  for (const { qid, q } of queries) {
    const response = await fetch(`${url}/v1/discover/endpoints`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ q, minScore: 0, limit: 10 }),
    });
    if (!response.ok) throw new Error(`the daemon answered ${response.status}: ${await response.text()}`);
    const { items }: { items: { provider: string; endpoint: string }[] } = JSON.parse(await response.text());
    answers.set(
      qid,
      items.map(({ provider, endpoint }) => idOf.get(`${provider} ${endpoint}`) ?? ""),
    );
  }
  return answers;
}
