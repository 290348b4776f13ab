import { setImmediate as nextTurn } from "node:timers/promises";
import { AskedThread, type ThreadLimits, type ThreadScript } from "../../processes/asked-thread.ts";
import type { ProviderDocument, ProviderDocuments } from "./shard/build-shard.ts";
import type { Indexer } from "./indexer.ts";
import { openShard, type Shard } from "./shard/shard.ts";
import type { IndexingQuestion, IndexingReply } from "./serve-indexing.ts";

/**
 * For one request, with a wide margin above what a hundred thousand endpoints need: a thread that hangs is terminated.
 */
const LIMITS: ThreadLimits = { timeoutMs: 120_000, memoryMegabytes: 1_024 };

/** The number of documents that are sent at once: a millisecond or two of copying. */
const PORTION = 200;

/**
 * Works in a thread that ends with the work, so that its memory is returned. Documents are copied to it in portions;
 * the result is shared memory and costs nothing. `wordTable`: the encoded vectors that it indexes with.
 */
export function createWorkerIndexer(script: ThreadScript, wordTable: () => Uint8Array): Indexer {
  const thread = new AskedThread(script, LIMITS, wordTable);
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  async function ask(question: IndexingQuestion): Promise<SharedArrayBuffer | undefined> {
    if (isClosed) throw new Error("nothing is indexed any more");
    const reply = (await thread.ask(question)) as IndexingReply;
    if (reply.kind === "failed") throw new Error(reply.message);
    return reply.buffer;
  }

  async function askForShard(question: IndexingQuestion): Promise<Shard> {
    const buffer = await ask(question);
    if (buffer === undefined) throw new Error("the thread gave no shard");
    return openShard(buffer);
  }

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const own = last.then(work).finally(() => thread.close());
    last = own.catch(() => {});
    return own;
  }

  return {
    build: (providers, meanLengths) =>
      inTurn(async () => {
        await ask({ step: "begin" });
        for (const portion of portionsOf(providers)) {
          await ask({ step: "add", providers: portion });
          await nextTurn();
        }
        return await askForShard({ step: "finish", ...(meanLengths !== undefined && { meanLengths }) });
      }),
    merge: (shares) =>
      inTurn(() =>
        askForShard({
          step: "merge",
          shares: shares.map(({ shard, groups }) => ({ buffer: shard.buffer, groups })),
        }),
      ),
    async close() {
      isClosed = true;
      await thread.close();
      await last;
    },
  };
}

/** The same documents in portions; a provider may continue in the next one. */
function* portionsOf(providers: Iterable<ProviderDocuments>): Generator<readonly ProviderDocuments[]> {
  let portion: (ProviderDocuments & { readonly documents: ProviderDocument[] })[] = [];
  let size = 0;
  for (const { provider, digest, documents } of providers) {
    for (const document of documents) {
      const last = portion.at(-1);
      if (last?.provider === provider) last.documents.push(document);
      else portion.push({ provider, digest, documents: [document] });
      size += 1;
      if (size < PORTION) continue;
      yield portion;
      portion = [];
      size = 0;
    }
  }
  if (size > 0) yield portion;
}
