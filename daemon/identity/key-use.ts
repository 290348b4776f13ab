import { z } from "zod";
import { type Clock, isoNow } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";

/** The document `<data>/docs/key-use.json`: key id → when it was last used, ISO 8601. */
export const KeyUseDocument = z.strictObject({ lastUsed: z.record(z.string(), z.string()) });
export type KeyUseDocument = z.infer<typeof KeyUseDocument>;

/** The part of a document of the document store that is needed here. */
export interface KeyUseDocumentFile {
  readonly data: KeyUseDocument;
  update(change: (data: KeyUseDocument) => void): Promise<void>;
}

/** When keys were last used; uses within a minute of the recorded time are ignored. */
export interface KeyUse extends AsyncDisposable {
  /** Records that a key authenticated its caller. Writes nothing to the disk. */
  note(keyId: string): void;
  /** ISO 8601; undefined when it was never used, or so long ago that the use was forgotten. */
  lastUsedAt(keyId: string): string | undefined;
  /** Writes what is not written yet. */
  close(): Promise<void>;
}

const MINUTE_MS = 60_000;
/** The most recently used keys are kept; at about 60 bytes each, far below the limit of a document. */
const MAX_KEYS = 20_000;

export interface KeyUseParts {
  readonly document: KeyUseDocumentFile;
  readonly clock: Clock;
  readonly logger: Pick<Logger, "warn">;
  /** The interval between two writes; only tests set another one. */
  readonly writeEveryMs?: number;
}

/**
 * Keeps the last use of keys in memory, and writes it to the disk at most once a minute and at the end: it is not worth
 * a journal line, and a crash may lose a minute of it. Disk errors are logged and do not affect authentication.
 */
export function createKeyUse({ document, clock, logger, writeEveryMs = MINUTE_MS }: KeyUseParts): KeyUse {
  // In the order of use, so that the first ones are forgotten first.
  const lastUsed = new Map(Object.entries(document.data.lastUsed).sort(([, a], [, b]) => (a < b ? -1 : 1)));
  let isWritten = true;

  const write = async () => {
    if (isWritten) return;
    isWritten = true;
    try {
      await document.update((data) => {
        data.lastUsed = newestUses(data.lastUsed, lastUsed);
      });
    } catch (error) {
      isWritten = false;
      logger.warn({ err: error }, "the last use of keys could not be written");
    }
  };
  const timer = setInterval(() => void write(), writeEveryMs);
  timer.unref();

  return {
    note(keyId) {
      const known = lastUsed.get(keyId);
      if (known !== undefined && clock.now() < Date.parse(known) + MINUTE_MS) return;
      lastUsed.delete(keyId);
      lastUsed.set(keyId, isoNow(clock));
      const [oldest] = lastUsed.keys();
      if (lastUsed.size > MAX_KEYS && oldest !== undefined) lastUsed.delete(oldest);
      isWritten = false;
    },
    lastUsedAt: (keyId) => later(lastUsed.get(keyId), document.data.lastUsed[keyId]),
    async close() {
      clearInterval(timer);
      await write();
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}

/** Other daemons write the same document. */
function newestUses(written: KeyUseDocument["lastUsed"], own: ReadonlyMap<string, string>): KeyUseDocument["lastUsed"] {
  const uses = { ...written };
  for (const [keyId, at] of own) uses[keyId] = later(uses[keyId], at) ?? at;
  const newest = Object.entries(uses).sort(([, one], [, other]) => (one < other ? 1 : -1));
  return Object.fromEntries(newest.slice(0, MAX_KEYS).reverse());
}

/** Of two times in ISO 8601. */
function later(one: string | undefined, other: string | undefined): string | undefined {
  return one === undefined || (other !== undefined && other > one) ? other : one;
}
