import { priceRows, priceWords, runPriceWords } from "../../shared/words/price-words.ts";
import { dollarsText } from "./amounts.ts";
import { inertText } from "./inert-text.ts";

/* Prices in the numbers of the reader's place. What others wrote in them, such as units and labels, is inert. */

export function priceText(...[price, biller]: Parameters<typeof priceWords>): string {
  return inertText(priceWords(price, biller, dollarsText));
}

export function runPriceText(...[price, biller]: Parameters<typeof runPriceWords>): string {
  return inertText(runPriceWords(price, biller, dollarsText));
}

/** One line for every row of a price that has several. */
export function priceRowTexts(...[price]: Parameters<typeof priceRows>): readonly string[] {
  return priceRows(price, dollarsText).map(inertText);
}
