import type { Command } from "commander";
import { parseCount } from "./option-values.ts";

/** Which page of a list, as the service takes it. */
export interface PageQuery {
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** Which pages of a list, as commander reads it. */
export interface PagingFlags extends PageQuery {
  all?: true | undefined;
}

/** The default length of a list: about one screen. */
export const SHOWN_ITEMS = 30;

export function withPaging<Paged extends Command>(command: Paged): Paged {
  return command
    .option("--limit <n>", `maximum number of items (default ${SHOWN_ITEMS})`, parseCount)
    .option("--cursor <cursor>", "continue after the previous page")
    .option("--all", "all items");
}
