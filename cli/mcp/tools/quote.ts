import { z } from "zod";
import { Quote } from "../../../shared/contract/quote.ts";
import { dollars } from "../../words/money-words.ts";
import { runPriceWords } from "../../words/price-words.ts";
import { refusalWords } from "../../runs/quote-words.ts";
import { targetWords } from "../../input/target.ts";
import { toRunRequest } from "../run-request.ts";
import { runInputMembers } from "../tool-input.ts";
import { defineTool, readsOnly } from "../tool.ts";

export const quoteTool = defineTool({
  name: "quote",
  title: "Price a run",
  description:
    "What a run with this input would cost, and what would refuse it (wallet, limits). The input is checked as run checks " +
    "it. Nothing is called, held or charged. Free.",
  annotations: readsOnly,
  input: z.object({ ...runInputMembers }),
  output: Quote,
  async call(input, { connect, signal }) {
    const quote = await (await connect()).quoteRun({ body: toRunRequest(input) }, { signal });
    return { lines: quoteLines(quote), value: quote };
  },
});

function quoteLines(quote: Quote): string[] {
  const { estimate, maximum, price, wouldBlock } = quote;
  return [
    `A run of ${targetWords(quote)} would cost about ${dollars(estimate.value)}, at most ${dollars(maximum.value)} ` +
      `(price ${runPriceWords(price, quote)}). Nothing was run.`,
    wouldBlock.length === 0
      ? "Nothing would refuse it. Next: run it with the same arguments."
      : `It would be refused by ${wouldBlock.map(refusedBy).join("; ")}. Next: see balance, or ask for more.`,
  ];
}

function refusedBy(refusal: Quote["wouldBlock"][number]): string {
  return refusal.kind === "maxCost" ? `its maxCost (${dollars(refusal.available.value)})` : refusalWords(refusal);
}
