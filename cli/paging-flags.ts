import type { Command } from "commander";
import { parseCount } from "./option-values.ts";

/** Which page of a list, as commander reads it and the service takes it. */
export interface PagingFlags {
  limit?: number;
  cursor?: string;
}

export function withPaging(command: Command): Command {
  return command
    .option("--limit <n>", "at most so many, up to 100", parseCount)
    .option("--cursor <cursor>", "go on after the page before");
}
