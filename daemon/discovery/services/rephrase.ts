import type { Circuit } from "./calls/circuit.ts";
import type { RephraseClient } from "./calls/rephrase-client.ts";
import { ServiceFailed } from "./calls/service-failed.ts";
import type { Written } from "./search-services.ts";

export interface RephraseParts {
  readonly client: Pick<RephraseClient, "rephrase">;
  readonly circuit: Circuit;
  /** How long a query waits, in milliseconds. */
  readonly waitMs: number;
}

/** Concurrent queries that wait for the model; further ones go without, so that they never hold up other searches. */
const MAX_AT_ONCE = 4;
/** Queries whose wordings are kept, in memory alone: what was asked is not written to disk. */
const MAX_KEPT = 500;

/** Writes the rephrasings of queries. Never rejects, and resolves within the time that was set. */
export function createRephrase({ client, circuit, waitMs }: RephraseParts): (q: string) => Promise<Written> {
  const kept = new Map<string, readonly string[]>();
  const underWay = new Map<string, Promise<readonly string[]>>();

  async function write(q: string): Promise<readonly string[]> {
    const also = await circuit.run(() => client.rephrase(q, { timeoutMs: waitMs }));
    const [oldest] = kept.keys();
    if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    kept.set(q, also);
    return also;
  }

  async function wordingsOf(q: string): Promise<readonly string[]> {
    const known = kept.get(q) ?? underWay.get(q);
    if (known !== undefined) return await known;
    if (underWay.size >= MAX_AT_ONCE) throw new ServiceFailed("busy", "too many questions at once");
    const writing = write(q).finally(() => underWay.delete(q));
    underWay.set(q, writing);
    return await writing;
  }

  return async (q) => {
    try {
      return { also: await wordingsOf(q), use: { name: "rephrase", used: true } };
    } catch (error) {
      if (!(error instanceof ServiceFailed)) throw error;
      return { also: [], use: { name: "rephrase", used: false, reason: error.message } };
    }
  };
}
