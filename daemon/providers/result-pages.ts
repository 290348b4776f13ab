import type { Async } from "../manifest/manifest.ts";
import type { ExtractScope } from "../manifest/extract.ts";
import { MAX_ANSWER_VALUES, tooManyValues } from "./sending/json-answer.ts";
import { overLimit } from "./sending/read-body.ts";
import { withValueAt } from "../catalog/entries/shape-output.ts";
import { itemsOf, itemsPlace, type NextPage, PageTrail } from "./next-page.ts";
import type { JudgedExchange } from "./vendor-call.ts";

type ResultCall = NonNullable<Async["result"]>;

/** Fetches one page; without `page` the first one. */
type FetchPage = (call: ResultCall, page?: NextPage) => Promise<JudgedExchange>;

export interface Result extends JudgedExchange {
  readonly notes: readonly string[];
}

/**
 * Reads the result of a job page by page and joins the pages: the first answer with the items of all. A page that is not
 * a success is the result. Stops at the maximum number of pages, with a note. Throws UnreadableAnswerError when all
 * pages together exceed the endpoint's limit, in bytes or in values.
 */
export async function readResult(
  result: ResultCall,
  facts: ExtractScope,
  options: { readonly maxBytes: number; readonly maxPages?: number | undefined; readonly fetch: FetchPage },
): Promise<Result> {
  const first = await options.fetch(result);
  const { pages } = result;
  if (pages === undefined || !first.verdict.success) return { ...first, notes: [] };

  const most = Math.min(pages.max, options.maxPages ?? pages.max);
  const trail = new PageTrail(pages, facts.input ?? {});
  const items: unknown[] = [];
  const notes: string[] = [];
  const asText = new Set<string>();
  let bytes = 0;
  let values = 0;
  let page = first;
  for (let count = 1; ; count++) {
    const scope = { ...facts, ...page.exchange };
    const found = itemsOf(pages, scope) ?? [];
    if (trail.repeats(found)) break;
    for (const item of found) items.push(item);
    bytes += page.exchange.bytes;
    if (bytes > options.maxBytes) throw overLimit(options.maxBytes);
    values += page.exchange.values ?? 0;
    if (values > MAX_ANSWER_VALUES) throw tooManyValues(values, MAX_ANSWER_VALUES);
    notes.push(...(page.exchange.notes ?? []));
    for (const literal of page.exchange.numbersAsText ?? []) asText.add(literal);

    const next = trail.after(scope, found, page.exchange.address ?? "");
    if (next === "end" || next === "loop") break;
    if (count >= most) {
      notes.push(`The result has more than the ${most} pages that are read; the rest was left out`);
      break;
    }
    page = await options.fetch(result, next);
    if (!page.verdict.success) return { ...page, notes };
  }
  const body = withValueAt(first.exchange.body, itemsPlace(pages), items);
  const { notes: _first, ...exchange } = first.exchange;
  return {
    ...first,
    exchange: { ...exchange, body, bytes, values, numbersAsText: asText },
    notes: [...new Set(notes)],
  };
}
