import type { Async } from "../manifest/manifest.ts";
import { toMessage } from "./answer/error-rules.ts";
import { oncePer } from "../base/once-per.ts";
import { compileExtractor } from "./answer/compiled-sources.ts";
import { extract, type ExtractScope } from "../manifest/extract.ts";
import { MAX_ANSWER_VALUES, tooManyValues } from "./sending/json-answer.ts";
import { overLimit } from "./sending/read-body.ts";
import type { LiteralQuery } from "./request/build-request.ts";
import { withValueAt } from "../catalog/entries/shape-output.ts";
import type { JudgedExchange } from "./vendor-call.ts";

type ResultCall = NonNullable<Async["result"]>;

const compiledPages = oncePer(({ items, cursor }: NonNullable<ResultCall["pages"]>) => ({
  items: compileExtractor(items),
  cursor: compileExtractor(cursor),
}));

/** Fetches one page. `query`: identifies the page, in the provider's own values. */
type FetchPage = (call: ResultCall, query?: LiteralQuery) => Promise<JudgedExchange>;

export interface Result extends JudgedExchange {
  readonly notes: readonly string[];
}

/**
 * Reads a result page by page and joins the pages: the first answer with the items of all. A page that is not a success
 * is the result. Stops at the manifest's maximum number of pages, with a note. Throws UnreadableAnswerError when all
 * pages together exceed the endpoint's limit, in bytes or in values.
 */
export async function readResult(
  result: ResultCall,
  facts: ExtractScope,
  options: { readonly maxBytes: number; readonly fetch: FetchPage },
): Promise<Result> {
  const first = await options.fetch(result);
  const { pages } = result;
  if (pages === undefined || !first.verdict.success) return { ...first, notes: [] };

  const { items: itemsFrom, cursor: cursorFrom } = compiledPages(pages);
  const items: unknown[] = [];
  const seen = new Set<string>();
  const notes: string[] = [];
  const asText = new Set<string>();
  let bytes = 0;
  let values = 0;
  let page = first;
  for (let count = 1; ; count++) {
    const scope = { ...facts, ...page.exchange };
    const found = extract(itemsFrom, scope);
    if (Array.isArray(found)) for (const item of found) items.push(item);
    bytes += page.exchange.bytes;
    if (bytes > options.maxBytes) throw overLimit(options.maxBytes);
    values += page.exchange.values ?? 0;
    if (values > MAX_ANSWER_VALUES) throw tooManyValues(values, MAX_ANSWER_VALUES);
    notes.push(...(page.exchange.notes ?? []));
    for (const literal of page.exchange.numbersAsText ?? []) asText.add(literal);

    const cursor = toMessage(extract(cursorFrom, scope));
    if (cursor === undefined || cursor === "false" || seen.has(cursor)) break;
    if (count >= pages.max) {
      notes.push(`The result has more than the ${pages.max} pages that are read; the rest was left out`);
      break;
    }
    seen.add(cursor);
    page = await options.fetch(result, { [pages.param]: cursor });
    if (!page.verdict.success) return { ...page, notes };
  }
  const steps = itemsFrom.kind === "path" ? itemsFrom.steps : [];
  const body = withValueAt(first.exchange.body, steps, items);
  const { notes: _first, ...exchange } = first.exchange;
  return {
    ...first,
    exchange: { ...exchange, body, bytes, values, numbersAsText: asText },
    notes: [...new Set(notes)],
  };
}
