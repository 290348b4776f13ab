import { createIdSource } from "../../daemon/base/new-id.ts";
import { nodeFiles } from "../../daemon/storage/files.ts";
import { openJournalStore } from "../../daemon/storage/journal/journal-store.ts";
import { ownerCreated, runAccepted, runDone } from "../storage/lines.ts";
import { unflushed } from "../support/unflushed-files.ts";

/** A folder with small, large and odd outputs, large inputs, and runs that are still open. */
export async function fill(dataDir: string, runs: number): Promise<void> {
  await using store = await openJournalStore({ dataDir, files: unflushed(nodeFiles()), onFatal: () => {} });
  await store.commit({ line: ownerCreated(100_000_000_000) });
  const newId = createIdSource();
  for (let begun = 0; begun < runs; begun += 100) {
    await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const runId = newId();
        const input = { queryParams: { city: "Lissabon", note: "x".repeat(index === 7 ? 20_000 : 20) } };
        await store.commit({ line: runAccepted(runId, { input }) });
        if (index !== 3) await store.commit({ line: runDone(runId, { input, output: outputOf(begun + index) }) });
      }),
    );
  }
}

function outputOf(n: number): unknown {
  if (n % 500 === 11) return { text: "ü\u0000 \u{1F600} ".repeat(20_000), n };
  if (n % 7 === 0) return null;
  return n % 5 === 0 ? ["a", 0.1 + n, -0, 1e21, ""] : { n, __proto__: null, nested: { é: "\u2028" } };
}
