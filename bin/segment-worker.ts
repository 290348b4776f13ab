import { parentPort } from "node:worker_threads";
import { serveIndexMaking } from "../daemon/storage/journal/indexes/serve-index-making.ts";

if (parentPort !== null) serveIndexMaking(parentPort);
