import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { effort } from "../support/effort.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { readEvents, type ReadEvent } from "./event-reader.ts";

/* Whatever cuts a stream of events off, and however often: nothing is lost, and nothing comes twice. docs/contract.md */

const HANG_MS = 240_000;

describe("a reader of events that is cut off again and again", () => {
  let daemon: TestDaemon;
  beforeAll(async () => void (daemon = await startTestDaemon()));
  afterAll(async () => await daemon[Symbol.asyncDispose]());

  const limitAmount = { value: 5, unit: "DOLLAR", currency: "USD" };

  /** A budget that is made, paused and deleted: three events. */
  async function change(): Promise<void> {
    const { body } = await daemon.request("POST", "/v1/controls/workspace/budgets", { period: "DAY", limitAmount });
    const path = `/v1/controls/workspace/budgets/${body.budgetControlId}`;
    await daemon.request("PATCH", path, { status: "PAUSED" });
    await daemon.request("DELETE", path);
  }

  const isTold = ({ type }: ReadEvent) => type !== "ready";

  /** The next `most` events after an id; the connection ends with them, and whatever else was on its way. */
  async function readPiece(after: string, most: number): Promise<ReadEvent[]> {
    await using reader = await readEvents(daemon.url, daemon.key, after);
    await reader.until(() => reader.events.filter(isTold).length >= most);
    expect(reader.events[0]?.type).toBe("ready");
    return reader.events.filter(isTold).slice(0, most);
  }

  test(
    "reads exactly what one reads that is never cut off",
    async () => {
      const pieces = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(pieces, fc.boolean(), async (sizes, isLive) => {
          const wanted = sizes.reduce((sum, size) => sum + size, 0);
          await using whole = await readEvents(daemon.url, daemon.key);
          const begin = (await whole.until(({ type }) => type === "ready")).id;
          const changes = (async () => {
            for (let made = 0; made < wanted; made += 3) await change();
          })();
          if (!isLive) await changes;

          const read: ReadEvent[] = [];
          for (const size of sizes) read.push(...(await readPiece(read.at(-1)?.id ?? begin, size)));

          await changes;
          await whole.until(() => whole.events.filter(isTold).length >= wanted);
          expect(read).toEqual(whole.events.filter(isTold).slice(0, wanted));
          expect(new Set(read.map(({ id }) => id)).size).toBe(wanted);
        }),
        { numRuns: effort(25, 300) },
      );
    },
    HANG_MS,
  );
});
