/* Chooses the weights of the ranking by the judged collections. */
import { fileURLToPath } from "node:url";
import { bundle } from "../../bundle.mjs";

process.env.MKT_PROJECT_DIR ??= fileURLToPath(new URL("../../..", import.meta.url));
await import(await bundle("discovery/train/choose-weights"));
