import { countWords } from "../../shared/count-words.ts";
import { CliError } from "../core/cli-error.ts";
import type { CliContext } from "../command/context.ts";
import { exitCodes } from "../core/exit-codes.ts";
import { againLine } from "../output/again-line.ts";
import type { View } from "../screen/view.ts";
import { type PageQuery, type PagingFlags, SHOWN_ITEMS } from "../flags/paging-flags.ts";

/** A page of any list. On the last one the cursor is absent, or null. docs/contract.md, "Last page". */
interface PageOf<Item> {
  items: Item[];
  cursor?: string | null | undefined;
  /** Entries that cannot be read any more; they are in no page's items. */
  damaged?: Damaged[] | undefined;
}

interface Damaged {
  message: string;
  runId?: string;
}

/** Ids that fit a line or two. */
const MAX_NAMED = 5;

/** The largest page that every list allows; longer lists are read in several. docs/contract.md, "Page size". */
const largestPage = 100;

/**
 * Prints the requested number of items and says how to get the next page and all of them. With `--all` it prints every
 * page: as one page with all items, or, when items are printed one per line, as they arrive. Returns the number of
 * items. Damaged entries are reported on stderr, and with `--all` the exit code is 1.
 * docs/command-line.md, "Data and messages" and "Long lists and money".
 */
export async function listPages<Page extends PageOf<unknown>>(
  context: CliContext,
  { all, limit, cursor }: PagingFlags,
  read: (query: PageQuery) => Promise<Page>,
  view: View<Page>,
): Promise<number> {
  let count = 0;
  const damaged: Damaged[] = [];
  const counted = async (query: PageQuery) => {
    const page = await read(query);
    count += page.items.length;
    if (page.damaged !== undefined) damaged.push(...page.damaged);
    return page;
  };
  const from = cursor !== undefined && { cursor };
  if (!all) {
    const { page, items } = await joined(pagesUpTo(limit ?? SHOWN_ITEMS, counted, { ...from }));
    await context.output.list(page, items, view);
    await noteDamaged(context, damaged);
    await noteNextPage(context, page.cursor);
    return count;
  }
  const readAll = () => pagesFrom(counted, { limit: Math.min(limit ?? largestPage, largestPage), ...from });
  await context.output.listAll({ pages: itemsOf(readAll()), whole: () => joined(readAll()) }, view);
  await noteDamaged(context, damaged);
  // With `--all`, a script must not mistake this for the complete list.
  if (damaged.length > 0) context.exitCode = exitCodes.failed;
  return count;
}

/**
 * Says on stderr which commands give all of a list, and its next page; with `--json` the cursor is in the answer.
 * docs/command-line.md, "Long lists and money".
 */
async function noteNextPage({ argv, flags, output }: CliContext, cursor: string | null | undefined): Promise<void> {
  if (cursor == null || flags.json) return;
  const fromStart = argv.filter(
    (word, at) => !/^--cursor(=|$)/.test(word) && (at === 0 || argv[at - 1] !== "--cursor"),
  );
  await output.note(`All of them: ${againLine(fromStart, ["--all"])}`);
  await output.note(`More: ${againLine(argv, ["--cursor", cursor])}`);
}

async function noteDamaged(context: CliContext, damaged: readonly Damaged[]): Promise<void> {
  if (damaged.length === 0) return;
  const ids = damaged.flatMap(({ runId }) => (runId === undefined ? [] : [runId]));
  const named = ids.length === 0 ? "" : `: ${ids.slice(0, MAX_NAMED).join(", ")}${ids.length > MAX_NAMED ? ", …" : ""}`;
  const what = ids.length === 0 ? countWords(damaged.length, "entry", "entries") : countWords(damaged.length, "run");
  await context.output.note(
    `${what} among these cannot be listed, damaged where the service keeps ${damaged.length === 1 ? "it" : "them"}${named}. ` +
      "The operator can find the damage with mkt doctor.",
  );
}

async function* pagesFrom<Page extends PageOf<unknown>>(
  read: (query: PageQuery) => Promise<Page>,
  query: PageQuery,
): AsyncGenerator<Page> {
  const seen = new Set<string>();
  let next: PageQuery = query;
  for (;;) {
    const page = await read(next);
    yield page;
    if (page.cursor == null) return;
    if (seen.has(page.cursor)) {
      throw new CliError(exitCodes.failed, "The service returned the same cursor twice: its list would never end.");
    }
    seen.add(page.cursor);
    next = { ...query, cursor: page.cursor };
  }
}

/** One page, or several if one cannot hold that many; the cursor of the last continues after it. */
async function* pagesUpTo<Page extends PageOf<unknown>>(
  most: number,
  read: (query: PageQuery) => Promise<Page>,
  query: PageQuery,
): AsyncGenerator<Page> {
  let next = query;
  for (let left = most; left > 0;) {
    const page = await read({ ...next, limit: Math.min(left, largestPage) });
    yield page;
    left -= page.items.length;
    if (page.cursor == null || page.items.length === 0 || most <= largestPage) return;
    next = { cursor: page.cursor };
  }
}

async function* itemsOf(pages: AsyncIterable<PageOf<unknown>>): AsyncGenerator<readonly unknown[]> {
  for await (const { items } of pages) yield items;
}

/** The last page, with its cursor, and the items of all pages. */
async function joined<Page extends PageOf<unknown>>(
  pages: AsyncIterable<Page>,
): Promise<{ page: Page; items: readonly unknown[] }> {
  const items: unknown[] = [];
  const damaged: Damaged[] = [];
  let last: Page | undefined;
  for await (const page of pages) {
    for (const item of page.items) items.push(item);
    if (page.damaged !== undefined) damaged.push(...page.damaged);
    last = page;
  }
  return { page: { ...(last as Page), items, ...(damaged.length > 0 && { damaged }) }, items };
}
