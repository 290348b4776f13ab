import { parentPort, workerData } from "node:worker_threads";
import { indexingWith } from "../daemon/discovery/index/load-indexing.ts";
import { serveIndexing } from "../daemon/discovery/index/serve-indexing.ts";
import { decodeWordTable } from "../daemon/discovery/vectors/word-table.ts";
import { createWordVectors } from "../daemon/discovery/vectors/word-vectors.ts";

// Uses the daemon's vectors, whatever is on the disk by now.
if (parentPort !== null) {
  const vectors = createWordVectors(decodeWordTable(Buffer.from(workerData as Uint8Array)));
  serveIndexing(parentPort, indexingWith(vectors).options);
}
