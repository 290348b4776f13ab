import { hash } from "node:crypto";
import type { Pages } from "../manifest/manifest.ts";
import { extract, type Extractor, type ExtractScope } from "../manifest/extract.ts";
import { type InputSections, readInput } from "../manifest/input-sections.ts";
import { oncePer } from "../base/once-per.ts";
import { compileExtractor } from "./answer/compiled-sources.ts";
import { toMessage } from "./answer/error-rules.ts";
import { nextLink } from "./next-link.ts";

/** What asks for a page: a field of the call, with the provider's own value, or a whole address. */
export type NextPage =
  | { readonly kind: "field"; readonly in: "query" | "body"; readonly name: string; readonly value: string | number }
  | { readonly kind: "address"; readonly address: string };

/** Why there is no further page: the list ended, or it leads back to a page that was read. */
export type TrailEnd = "end" | "loop";

interface CompiledPages {
  readonly items: Extractor;
  readonly cursor?: Extractor;
  readonly next?: Extractor;
  readonly size?: Extractor;
  readonly more?: Extractor;
}

const compiledPages = oncePer(({ items, cursor, next, size, more }: Pages): CompiledPages => ({
  items: compileExtractor(items),
  ...(cursor !== undefined && { cursor: compileExtractor(cursor) }),
  ...(next !== undefined && { next: compileExtractor(next) }),
  ...(size !== undefined && { size: compileExtractor(size) }),
  ...(more !== undefined && { more: compileExtractor(more) }),
}));

/** Where the list of a page is; the checks of a file want a place in the body. */
export function itemsPlace(pages: Pages): readonly (string | number)[] {
  const { items } = compiledPages(pages);
  return items.kind === "path" ? items.steps : [];
}

/** The list of one page; undefined when there is none. */
export function itemsOf(pages: Pages, scope: ExtractScope): readonly unknown[] | undefined {
  const found = extract(compiledPages(pages).items, scope);
  return Array.isArray(found) ? found : undefined;
}

/** The way through the pages of one list. Remembers what was asked for, so that a list that goes in a circle ends. */
export class PageTrail {
  readonly #pages: Pages;
  readonly #compiled: CompiledPages;
  readonly #seen = new Set<string>();
  /** What led to the page that was read last. */
  #current: string | undefined;
  /** The offset, or the number, of the page that was read last. */
  #at: number;
  #lastItems: string | undefined;

  constructor(pages: Pages, input: InputSections) {
    this.#pages = pages;
    this.#compiled = compiledPages(pages);
    this.#at = startOf(pages, input);
  }

  /**
   * Whether a page is the one before once more: some providers answer the last page, or the first, for every number
   * that is too high. Only lists without cursors need it.
   */
  repeats(items: readonly unknown[]): boolean {
    if (this.#pages.counts === undefined || items.length === 0) return false;
    const print = hash("sha256", JSON.stringify(items));
    const isSame = print === this.#lastItems;
    this.#lastItems = print;
    return isSame;
  }

  /** What asks for the page after the one that was just read. */
  after(scope: ExtractScope, items: readonly unknown[], address: string): NextPage | TrailEnd {
    const { cursor, next, more } = this.#compiled;
    if (more !== undefined && saysNoMore(extract(more, scope))) return "end";
    if (cursor !== undefined) return this.#afterCursor(extract(cursor, scope));
    if (next !== undefined) return this.#afterAddress(next, scope, address);
    return this.#afterCount(scope, items);
  }

  #afterCursor(found: unknown): NextPage | TrailEnd {
    const text = toMessage(found);
    if (text === undefined || text === "false") return "end";
    const value = typeof found === "number" ? found : text;
    return this.#unlessSeen(text, { kind: "field", ...this.#field(), value });
  }

  #afterAddress(next: Extractor, scope: ExtractScope, address: string): NextPage | TrailEnd {
    const found = extract(next, scope);
    const link = next.kind === "header" && next.name === "link" ? nextLink(found) : toMessage(found);
    if (link === undefined || link === "false") return "end";
    // What is no address is refused where the call is built, with the reason.
    const absolute = URL.canParse(link, address) ? new URL(link, address).href : link;
    if (absolute === address) return "end";
    return this.#unlessSeen(absolute, { kind: "address", address: absolute });
  }

  #afterCount(scope: ExtractScope, items: readonly unknown[]): NextPage | TrailEnd {
    const { size } = this.#compiled;
    if (items.length === 0) return "end";
    const full = size === undefined ? undefined : Number(extract(size, scope));
    if (full !== undefined && items.length < full) return "end";
    this.#at += this.#pages.counts === "items" ? items.length : 1;
    return { kind: "field", ...this.#field(), value: this.#at };
  }

  /** A provider that names the page itself once more has no further one; one that names an earlier one is a circle. */
  #unlessSeen(key: string, page: NextPage): NextPage | TrailEnd {
    if (key === this.#current) return "end";
    if (this.#seen.has(key)) return "loop";
    this.#seen.add(key);
    this.#current = key;
    return page;
  }

  #field(): { readonly in: "query" | "body"; readonly name: string } {
    return { in: this.#pages.in, name: this.#pages.param ?? "" };
  }
}

function startOf({ counts, param = "", in: place, first }: Pages, input: InputSections): number {
  const found =
    place === "body" ? readInput(input, "body", param.split(".")) : readInput(input, "queryParams", [param]);
  const given = Number(found ?? NaN);
  return Number.isSafeInteger(given) ? given : (first ?? (counts === "pages" ? 1 : 0));
}

const NO_MORE: readonly unknown[] = [undefined, null, false, 0, "", "false", "0"];

function saysNoMore(value: unknown): boolean {
  return NO_MORE.includes(value) || (Array.isArray(value) && value.length === 0);
}
