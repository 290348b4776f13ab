import type { QuoteRefusal } from "../../shared/contract/quote.ts";
import { dollars } from "../../shared/words/money-words.ts";

/** What would refuse a run, and what it leaves. */
export function refusalWords({ kind, controlId, available }: QuoteRefusal): string {
  const left = dollars(available.value);
  switch (kind) {
    case "wallet":
      return `the wallet (${left})`;
    case "maxCost":
      return `--max-cost (${left})`;
    case "keyLimit":
      return `the spend limit of the key (${left} left)`;
    case "runCap":
      return `the run cap ${controlId} (${left} a run)`;
    case "budget":
      return `the budget ${controlId} (${left} left)`;
  }
}
