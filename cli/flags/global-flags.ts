import type { Command } from "commander";
import { parseFields, parseFilled } from "./option-values.ts";
import type { FieldPath } from "../projection/field-path.ts";

/** Flags that every command takes, as commander reads them. */
export interface GlobalFlags {
  json?: true;
  jsonl?: true;
  fields?: FieldPath[];
  jq?: string;
  dataDir?: string;
  profile?: string;
  apiUrl?: string;
  keyFile?: string;
  workspace?: string;
  output?: string;
  full?: true;
  quiet?: true;
  yes?: true;
  debug?: true;
  /** False with `--no-color`. */
  color: boolean;
  /** False with `--no-input`. */
  input: boolean;
}

/** Declares them on the program; commander finds them before and after the command's name. */
export function addGlobalFlags(program: Command, places: { dataDir: string }): void {
  program
    .option("--json", "print the service's answer as one JSON value")
    .option("--jsonl", "print a list with one line of JSON per item")
    .option("--fields <a,b.c>", "only these members of the answer, or of each item", parseFields)
    .option("--jq <expression>", "apply jq to the answer, or with --jsonl to each item")
    .option("-o, --output <file>", "write the data to a file, or - for stdout; of a run its output alone", parseFilled)
    .option("--full", "show everything: shorten nothing, keep all columns")
    .option("-q, --quiet", "no notes and no progress on stderr")
    .option("--no-color", "no colours (also NO_COLOR, TERM=dumb)")
    .option("--no-input", "never ask; behave as without a terminal")
    .option("-y, --yes", "answer every question with yes")
    .option(
      "--data-dir <dir>",
      `which local daemon: its data folder (MKT_DATA_DIR, else ${places.dataDir})`,
      parseFilled,
    )
    .option("--profile <name>", "which deployment: see `mkt profile` (MKT_PROFILE)", parseFilled)
    .option("--api-url <url>", "a deployment instead of the local daemon (MKT_API_URL)", parseFilled)
    .option("--key-file <file>", "the API key is in this file (else MKT_API_KEY, else the local daemon's)", parseFilled)
    .option("--workspace <id>", "which workspace, where there is a choice (MKT_WORKSPACE)", parseFilled)
    .option("--debug", "show each request and its answer, never the key");
}
