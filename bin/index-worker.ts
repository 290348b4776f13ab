import { parentPort } from "node:worker_threads";
import { loadIndexing } from "../daemon/discovery/index/load-indexing.ts";
import { serveIndexing } from "../daemon/discovery/index/serve-indexing.ts";

if (parentPort !== null) serveIndexing(parentPort, (await loadIndexing()).options);
