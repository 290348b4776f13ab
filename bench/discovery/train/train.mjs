/* Trains the word vectors of discovery. `npm run train:discovery -- --help`, in the folder above the benchmarks. */
import { fileURLToPath } from "node:url";
import { importBundled } from "../../bundle.mjs";

const { main } = await importBundled("discovery/train/main");
process.exitCode = await main(process.argv.slice(2), fileURLToPath(new URL("../../..", import.meta.url)));
