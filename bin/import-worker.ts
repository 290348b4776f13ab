import { parentPort } from "node:worker_threads";

// A thread of its own, so that a hostile document takes no more than it is given: `worker-importer.ts` starts and ends it.
const { serveImports } = await import("../daemon/import/serve-imports.ts");
if (parentPort !== null) serveImports(parentPort);
