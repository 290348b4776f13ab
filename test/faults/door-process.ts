import { openJournalStore } from "../../daemon/storage/journal/journal-store.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";
import { nodeFiles } from "../../daemon/storage/files.ts";
import { keyCreated, ownerCreated, runAccepted, runDone } from "../storage/lines.ts";
import { faultyFiles } from "./faulty-files.ts";

/*
 * A process that does a few things with a store, one after the other, so that its calls to the disk come in one order.
 * Arguments: data folder, and the number of the call through the door that answers EIO; 0 for none. It writes one line of
 * JSON on stdout: the calls that it made, how many lines were acknowledged, and the code of the error that ended it.
 */

async function useStore(
  dataDir: string,
  files: ReturnType<typeof nodeFiles>,
  onAcknowledged: () => void,
): Promise<void> {
  for (const start of [1, 2]) {
    const store = await openJournalStore({ dataDir, files, onFatal: () => undefined });
    const lines = [runAccepted(`r${start}`), keyCreated(`key${start}`), runDone(`r${start}`)];
    for (const line of start === 1 ? [ownerCreated(1_000_000), ...lines] : lines) {
      await store.commit({ line });
      onAcknowledged();
    }
    await store.close();
  }
}

/** What the file system answered, however many times it was put into other words. */
function codeBehind(error: unknown): string | undefined {
  return (
    systemErrorCode(error) ??
    (error instanceof Error && error.cause !== undefined ? codeBehind(error.cause) : undefined)
  );
}

const [dataDir = "", at = "0"] = process.argv.slice(2);
const { files, calls } = faultyFiles(nodeFiles(), Number(at), "fail");
let acknowledged = 0;
let failure: string | undefined;
try {
  await useStore(dataDir, files, () => (acknowledged += 1));
} catch (error) {
  failure = codeBehind(error) ?? (error instanceof Error ? error.name : "unknown");
}
process.stdout.write(`${JSON.stringify({ calls, acknowledged, failure: failure ?? null })}\n`);
