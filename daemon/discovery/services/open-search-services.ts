import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "../../base/logger.ts";
import { type CatalogVectors, createCatalogVectors } from "./vectors/catalog-vectors.ts";
import { type Circuit, createCircuit } from "./calls/circuit.ts";
import { type ContentCache, contentKey, lateContentCache, openContentCache } from "./vectors/content-cache.ts";
import { createEmbeddingsClient } from "./calls/embeddings-client.ts";
import { createRefineByMeaning } from "./refine-by-meaning.ts";
import { createRefineByRerank } from "./refine-by-rerank.ts";
import { createRerankClient } from "./calls/rerank-client.ts";
import { createRephrase } from "./rephrase.ts";
import { chatRouteOf, createRephraseClient } from "./calls/rephrase-client.ts";
import { createRefine, type RefineStep, type SearchServices } from "./search-services.ts";
import { createServiceCaller } from "./calls/service-caller.ts";
import type { SearchServiceSettings, ServiceSettings } from "./calls/service-settings.ts";

export interface OpenSearchServicesParts {
  readonly settings: SearchServiceSettings;
  /** The folder for answers; created when it does not exist. */
  readonly dir: string;
  /** The score by words that separates matches from the rest. */
  readonly honestFloor: number;
  readonly logger: Logger;
}

/** Vectors of the catalog: 300,000 with 1,536 numbers each. */
const CATALOG_BYTES = 536_870_912;
/** Queries, and the reranker's answers. */
const QUESTIONS_BYTES = 33_554_432;

/** Rests and waits use a time that setting the clock does not change. */
const monotonic = { now: () => performance.now() };

/** The services that are set, with their cached answers. */
export async function openSearchServices(parts: OpenSearchServicesParts): Promise<SearchServices> {
  const { settings, dir } = parts;
  const { embeddings, rerank, rephrase, waitMs } = settings;
  const files = {
    catalog: embeddings && fileOf("catalog", embeddings),
    questions: embeddings && fileOf("questions", embeddings),
    rerank: rerank && fileOf("rerank", rerank),
  };
  await removeOthers(dir, files);
  // A start does not wait for the files: those of a large catalog take a second to read.
  const openFile = (name = "", maxBytes: number) =>
    lateContentCache(openContentCache({ path: join(dir, name), maxBytes }), (error) =>
      parts.logger.warn({ err: error }, "answers of discovery services cannot be kept"),
    );

  const meaning =
    embeddings === undefined
      ? undefined
      : openMeaning(parts, embeddings, {
          catalog: openFile(files.catalog, CATALOG_BYTES),
          questions: openFile(files.questions, QUESTIONS_BYTES),
        });
  const ordering =
    rerank === undefined ? undefined : openOrdering(parts, rerank, openFile(files.rerank, QUESTIONS_BYTES));
  const wording = rephrase === undefined ? undefined : openWording(parts, rephrase);
  const close = async () => void (await Promise.all([meaning?.close(), ordering?.close(), wording?.close()]));
  return {
    follow: (entries) => meaning?.vectors.follow(entries),
    refine: createRefine({
      steps: [meaning?.step, ordering?.step].filter((step) => step !== undefined),
      waitMs,
      nowMs: monotonic.now,
    }),
    ...(wording !== undefined && { rephrase: wording.rephrase }),
    idle: async () => await meaning?.vectors.idle(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface OpenStep {
  readonly step: RefineStep;
  close(): Promise<void>;
}

function openMeaning(
  { honestFloor, logger }: OpenSearchServicesParts,
  { url, model, key }: ServiceSettings,
  caches: { readonly catalog: ContentCache; readonly questions: ContentCache },
): OpenStep & { readonly vectors: CatalogVectors } {
  const caller = () => createServiceCaller({ url: embeddingsUrl(url), ...(key !== undefined && { key }) });
  const keyOf = (text: string) => contentKey([url, model, text]);
  const vectors = createCatalogVectors({
    client: createEmbeddingsClient({ caller: caller(), model }),
    circuit: toldCircuit(logger, "embeddings of the catalog"),
    cache: caches.catalog,
    keyOf,
    onError: (error) => logger.error({ err: error }, "the vectors of the catalog could not be made"),
  });
  const client = createEmbeddingsClient({ caller: caller(), model });
  const circuit = toldCircuit(logger, "embeddings of questions");
  return {
    vectors,
    step: createRefineByMeaning({ client, circuit, cache: caches.questions, keyOf, vectors, honestFloor }),
    async close() {
      await Promise.all([client.close(), vectors.close()]);
      await caches.questions.close();
    },
  };
}

function openOrdering(
  { logger }: OpenSearchServicesParts,
  { url, model, key }: ServiceSettings,
  cache: ContentCache,
): OpenStep {
  const caller = createServiceCaller({ url, ...(key !== undefined && { key }) });
  const client = createRerankClient({ caller, model });
  return {
    step: createRefineByRerank({
      client,
      circuit: toldCircuit(logger, "rerank"),
      cache,
      keyOf: (q, documents) => contentKey([url, model, q, ...documents]),
    }),
    async close() {
      await client.close();
      await cache.close();
    },
  };
}

function openWording(
  { logger }: OpenSearchServicesParts,
  { url: base, model, key, waitMs }: NonNullable<SearchServiceSettings["rephrase"]>,
): { readonly rephrase: ReturnType<typeof createRephrase>; close(): Promise<void> } {
  const { url, dialect } = chatRouteOf(base);
  const caller = createServiceCaller({ url, ...(key !== undefined && { key }) });
  const client = createRephraseClient({ caller, model, dialect });
  return {
    rephrase: createRephrase({ client, circuit: toldCircuit(logger, "rephrase"), waitMs }),
    close: async () => await client.close(),
  };
}

function toldCircuit(logger: Logger, service: string): Circuit {
  return createCircuit({
    clock: monotonic,
    onChange(failure) {
      if (failure === undefined) logger.info({ service }, "a service of discovery works again");
      else logger.warn({ service, why: failure.message }, "a discovery service is not called for a while");
    },
  });
}

/** The address for texts: below the base in the settings, unless they name the route itself. */
function embeddingsUrl(base: string): string {
  const url = new URL(base);
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = path.endsWith("/embeddings") ? path : `${path}/embeddings`;
  return url.href;
}

/** Each model and address has a file of its own. */
function fileOf(kind: string, { url, model }: ServiceSettings): string {
  return `${kind}-${contentKey([url, model])}.cache`;
}

/** Removes the answers of other models; those of a service that is not set now are kept, since it may be set again. */
async function removeOthers(dir: string, files: Readonly<Record<string, string | undefined>>): Promise<void> {
  const found = await readdir(dir).catch(() => []);
  const isOther = (name: string) =>
    Object.entries(files).some(([kind, file]) => file !== undefined && name.startsWith(`${kind}-`) && name !== file);
  await Promise.all(found.filter(isOther).map((name) => rm(join(dir, name), { force: true }).catch(() => {})));
}
