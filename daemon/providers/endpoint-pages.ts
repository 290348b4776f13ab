import type { Pages } from "../manifest/manifest.ts";
import type { ExtractScope } from "../manifest/extract.ts";
import { withValueAt } from "../catalog/entries/shape-output.ts";
import { itemsOf, itemsPlace, type NextPage, PageTrail } from "./next-page.ts";
import { type Measured, NoAnswerError, type PagesRead } from "./protocol/provider.ts";
import { MAX_ANSWER_VALUES } from "./sending/json-answer.ts";
import type { JudgedExchange } from "./vendor-call.ts";

/*
 * A list that one run reads page by page. Whatever ends the reading early, the pages that were read whole are the answer,
 * and they are what is paid for; the answer says that there is more. Only a first page that fails fails the run.
 * docs/manifest.md, "Pages".
 */

/** A page, and how long its call took with all of its attempts. */
export interface PageRead extends JudgedExchange {
  readonly elapsedMs: number;
}

export interface PageReading {
  /** The facts that extractors may read beside an answer itself. */
  readonly facts: ExtractScope;
  readonly maxPages: number;
  /** Of all pages together. */
  readonly maxBytes: number;
  /** Throws NoAnswerError. `maxBytes`: what is left of the limit. */
  readonly fetch: (page: NextPage, options: { readonly maxBytes: number }) => Promise<PageRead>;
  readonly measure: (page: PageRead) => Measured;
  /** Whether the price of another page still fits into what is held for the run. */
  readonly mayReadOn: (soFar: Measured) => boolean;
}

/** All pages as one answer. */
export interface JoinedPages extends JudgedExchange {
  readonly measured: Measured;
  readonly pages: PagesRead;
  /** What asks for the page after the last one; absent when there is none, or when it failed. */
  readonly next?: NextPage;
  readonly notes: readonly string[];
}

type Stop = NonNullable<PagesRead["stoppedBy"]>;

/** Reads on from a first page that is a success. */
export async function readEndpointPages(pages: Pages, first: PageRead, reading: PageReading): Promise<JoinedPages> {
  const joined = new Joining(pages, first, reading);
  for (let page = first; ;) {
    const next = joined.take(page);
    if (next === undefined) return joined.result();
    const stop = joined.whyStopBefore();
    if (stop !== undefined) return joined.result({ stop, next });
    try {
      page = await reading.fetch(next, { maxBytes: joined.bytesLeft });
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      if (!error.isTooLarge) return joined.result({ stop: "failure", next, why: error.message });
      return joined.result({ stop: "size", next, why: `page ${joined.read + 1} is larger than what is left` });
    }
    if (!page.verdict.success) {
      const why = page.verdict.message ?? `The provider answered ${page.verdict.httpStatus}`;
      return joined.result({ stop: "failure", next, why });
    }
  }
}

class Joining {
  readonly #pages: Pages;
  readonly #first: PageRead;
  readonly #reading: PageReading;
  readonly #trail: PageTrail;
  readonly #items: unknown[] = [];
  readonly #notes: string[] = [];
  readonly #asText = new Set<string>();
  #measured: Measured = {};
  #bytes = 0;
  #values = 0;
  #read = 0;
  #end: { readonly stop: Stop; readonly why?: string } | undefined;

  constructor(pages: Pages, first: PageRead, reading: PageReading) {
    this.#pages = pages;
    this.#first = first;
    this.#reading = reading;
    this.#trail = new PageTrail(pages, reading.facts.input ?? {});
  }

  get read(): number {
    return this.#read;
  }

  get bytesLeft(): number {
    return this.#reading.maxBytes - this.#bytes;
  }

  /** Adds a page; returns what asks for the next one, or undefined when the reading has ended. */
  take(page: PageRead): NextPage | undefined {
    const { exchange, verdict } = page;
    const scope = { ...this.#reading.facts, ...exchange };
    const items = verdict.empty ? [] : itemsOf(this.#pages, scope);
    if (items === undefined && this.#read > 0) {
      return this.#stopped("failure", `it has no list at ${this.#pages.items}`);
    }
    if (this.#trail.repeats(items ?? [])) return this.#stopped("loop");
    if (this.#values + (exchange.values ?? 0) > MAX_ANSWER_VALUES) {
      return this.#stopped("size", `all pages together would have more than ${MAX_ANSWER_VALUES} values`);
    }
    this.#add(page, items ?? []);
    if (items === undefined) {
      this.#notes.push(`The answer has no list at ${this.#pages.items}, so one page was read`);
      return undefined;
    }
    if (verdict.empty) return undefined;
    const next = this.#trail.after(scope, items, exchange.address ?? "");
    if (next === "end") return undefined;
    return next === "loop" ? this.#stopped("loop") : next;
  }

  #add({ exchange, ...page }: PageRead, items: readonly unknown[]): void {
    for (const item of items) this.#items.push(item);
    this.#read += 1;
    this.#bytes += exchange.bytes;
    this.#values += exchange.values ?? 0;
    this.#measured = sum(this.#measured, this.#reading.measure({ exchange, ...page }));
    this.#notes.push(...(exchange.notes ?? []));
    for (const literal of exchange.numbersAsText ?? []) this.#asText.add(literal);
  }

  whyStopBefore(): Stop | undefined {
    if (this.#read >= this.#reading.maxPages) return "maxPages";
    if (this.bytesLeft <= 0) return "size";
    return this.#reading.mayReadOn({ ...this.#measured, calls: this.#read }) ? undefined : "cost";
  }

  #stopped(stop: Stop, why?: string): undefined {
    this.#end = { stop, ...(why !== undefined && { why }) };
  }

  result(cut?: { readonly stop: Stop; readonly next: NextPage; readonly why?: string }): JoinedPages {
    const { stop, why } = cut ?? this.#end ?? {};
    const { notes: _first, ...exchange } = this.#first.exchange;
    const { exchange: _, elapsedMs: _elapsed, ...judged } = this.#first;
    const body =
      this.#items.length === 0 && this.#read <= 1
        ? exchange.body
        : withValueAt(exchange.body, itemsPlace(this.#pages), this.#items);
    return {
      ...judged,
      exchange: { ...exchange, body, bytes: this.#bytes, values: this.#values, numbersAsText: this.#asText },
      measured: { ...this.#measured, calls: this.#read },
      pages: { read: this.#read, more: stop !== undefined, ...(stop !== undefined && { stoppedBy: stop }) },
      ...(cut !== undefined && { next: cut.next }),
      notes: [...new Set(this.#notes), ...(stop === undefined ? [] : [noteOf(stop, this.#read, why)])],
    };
  }
}

/** What is measured on several pages; a quantity that one of them does not tell is not known of all. */
function sum(a: Measured, b: Measured): Measured {
  const added: { -readonly [name in keyof Measured]: Measured[name] } = { ...a };
  for (const name of ["count", "units", "costMicroDollars"] as const) {
    if (b[name] !== undefined) added[name] = (a[name] ?? 0) + b[name];
  }
  return added;
}

function noteOf(stop: Stop, read: number, why = ""): string {
  const pages = read === 1 ? "1 page" : `${read} pages`;
  const given =
    read === 1 ? "the page before it is given and charged" : `the ${read} pages before it are given and charged`;
  switch (stop) {
    case "maxPages":
      return `There is more: reading stopped after ${pages}, the most that this run may read`;
    case "cost":
      return `There is more: reading stopped after ${pages}, as another page could cost more than the run may`;
    case "size":
      return `There is more: reading stopped after ${pages}, as large as one answer may be${why === "" ? "" : ` (${why})`}`;
    case "loop":
      return `There may be more: after ${pages} the provider led back to a page that was read, and reading stopped`;
    case "failure":
      return `There may be more: page ${read + 1} could not be read (${why}); ${given}`;
  }
}
