/* Trains the words that tell a request from a saying, in the folder above the benchmarks. */
import { fileURLToPath } from "node:url";
import { importBundled } from "../../bundle.mjs";

const { main } = await importBundled("discovery/train-floor/main");
process.exitCode = await main(fileURLToPath(new URL("../../..", import.meta.url)));
