import {
  type FakeAnswer,
  type FakeCall,
  type FakeProvider,
  type FakeResponder,
  startFakeProvider,
} from "../../support/fake-provider.ts";

/** Words that a model which knows meanings would bring near to each other. */
const CONCEPTS: Readonly<Record<string, readonly string[]>> = {
  weather: ["weather", "forecast", "rain", "sky", "météo", "pleuvoir", "umbrella", "drizzle", "padać"],
  tide: ["tide", "tides", "tidal", "marée", "seaside", "harbour", "water", "low"],
  ownership: ["owner", "owners", "owns", "ownership", "shareholder", "shareholders", "propriétaire", "holds"],
  company: ["company", "companies", "firm", "enterprise", "entreprise", "corporation"],
};

const DIMENSIONS = 96;
/** As real models have it: everything points roughly the same way. */
const COMMON_DIRECTION = 1.5;

/**
 * A deterministic stand-in for a model: a text is the sum of directions, one for each concept that it has a word of, and a
 * weak one for each word that it has otherwise.
 */
export function meaningOf(text: string, dimensions = DIMENSIONS): number[] {
  const vector = Array.from({ length: dimensions }, () => COMMON_DIRECTION / Math.sqrt(dimensions));
  const words = new Set(text.toLowerCase().match(/[^\s\p{P}]+/gu) ?? []);
  const concepts = new Set<string>();
  for (const word of words) {
    const concept = Object.entries(CONCEPTS).find(([, known]) => known.includes(word))?.[0];
    if (concept === undefined) add(vector, directionOf(word, dimensions), 0.5 / Math.sqrt(words.size));
    else concepts.add(concept);
  }
  for (const concept of concepts)
    add(vector, directionOf(`concept ${concept}`, dimensions), 1 / Math.sqrt(concepts.size));
  return vector;
}

function add(vector: number[], direction: readonly number[], weight: number): void {
  for (const [place, number] of direction.entries()) vector[place] = (vector[place] ?? 0) + weight * number;
}

/** A direction of length about 1, always the same for a name. */
export function directionOf(name: string, dimensions: number): number[] {
  let state = [...name].reduce(
    (hash, letter) => Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16_777_619),
    2_166_136_261,
  );
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const gaussian = () => next() + next() + next() + next() - 2;
  return Array.from({ length: dimensions }, () => gaussian() / Math.sqrt(dimensions / 3));
}

export interface StandIn extends AsyncDisposable {
  /** What `MKT_EMBEDDINGS_URL` takes. */
  readonly embeddingsUrl: string;
  /** What `MKT_RERANK_URL` takes. */
  readonly rerankUrl: string;
  readonly server: FakeProvider;
  /** Every text that was sent to be embedded, in the order in which they came. */
  texts(): string[];
  /** Every question that was sent to be reranked. */
  reranked(): string[];
  /** The next answers of a route, in place of its own. */
  embed(...answers: readonly FakeResponder[]): void;
  rerank(...answers: readonly FakeResponder[]): void;
  /** Both answer for themselves again. */
  recover(): void;
}

/** A real HTTP server that embeds by meaning, and reranks by the cosine of the same. */
export async function startStandIn(): Promise<StandIn> {
  const server = await startFakeProvider();
  const embeddings = "POST /v1/embeddings";
  const rerank = "POST /v2/rerank";
  const recover = () => {
    server.on(embeddings, (call) => embedAnswer(call));
    server.on(rerank, (call) => rerankAnswer(call));
  };
  recover();
  return {
    embeddingsUrl: `${server.url}/v1`,
    rerankUrl: `${server.url}/v2/rerank`,
    server,
    texts: () => server.calls.filter(({ path }) => path === "/v1/embeddings").flatMap(({ json }) => json.input),
    reranked: () => server.calls.filter(({ path }) => path === "/v2/rerank").map(({ json }) => json.query),
    embed: (...answers) => server.on(embeddings, ...answers),
    rerank: (...answers) => server.on(rerank, ...answers),
    recover,
    [Symbol.asyncDispose]: () => server.close(),
  };
}

export function embedAnswer({ json }: Pick<FakeCall, "json">, dimensions?: number): FakeAnswer {
  const texts = json.input as readonly string[];
  const data = texts.map((text, index) => ({ object: "embedding", index, embedding: meaningOf(text, dimensions) }));
  return { json: { object: "list", data, model: json.model, usage: { prompt_tokens: 1, total_tokens: 1 } } };
}

/** Scores of the rerank model have a scale of their own, below and above 0. */
export function rerankAnswer({ json }: Pick<FakeCall, "json">): FakeAnswer {
  const query = meaningOf(json.query);
  const scores = (json.documents as readonly string[]).map((text) => cosine(query, meaningOf(text)) * 20 - 10);
  const results = scores.map((relevance_score, index) => ({ index, relevance_score }));
  results.sort((one, other) => other.relevance_score - one.relevance_score);
  return { json: { id: "r1", results: results.slice(0, json.top_n), meta: {} } };
}

export function cosine(one: readonly number[], other: readonly number[]): number {
  const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, place) => sum + x * (b[place] ?? 0), 0);
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
}
