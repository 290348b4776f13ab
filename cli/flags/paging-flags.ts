import type { Command } from "commander";
import { parseCount } from "../input/option-values.ts";

/** Which page of a list, as the service takes it. */
export interface PageQuery {
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** Which pages of a list, as commander reads it. */
export interface PagingFlags extends PageQuery {
  all?: true | undefined;
}

export function withPaging<Paged extends Command>(command: Paged): Paged {
  return command
    .option("--limit <n>", "at most so many in a page, up to 100", parseCount)
    .option("--cursor <cursor>", "go on after the page before")
    .option("--all", "all pages, one after the other");
}
