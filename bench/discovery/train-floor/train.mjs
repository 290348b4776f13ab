/* Trains the words that tell a request from a saying, in the folder above the benchmarks. */
import { fileURLToPath } from "node:url";
import { importBundled } from "../../bundle.mjs";

const { main } = await importBundled("discovery/train-floor/main");
process.exitCode = await main(process.argv.slice(2), fileURLToPath(new URL("../../..", import.meta.url)));
