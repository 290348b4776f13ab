import { z } from "zod";
import { Quote } from "../../../shared/contract/quote.ts";
import { dollars } from "../../../shared/words/money-words.ts";
import { runPriceWords } from "../../../shared/words/price-words.ts";
import { refusalWords } from "../../run/quote-words.ts";
import { targetWords } from "../../words/target.ts";
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
      : `It would be refused by ${wouldBlock.map(refusedBy).join("; ")}. Next: ${nextSteps(wouldBlock)}.`,
  ];
}

/** One for each kind of what would refuse it. */
function nextSteps(wouldBlock: Quote["wouldBlock"]): string {
  return [...new Set(wouldBlock.map(({ kind }) => stepAgainst[kind]))].join("; ");
}

const stepAgainst: Readonly<Record<Quote["wouldBlock"][number]["kind"], string>> = {
  maxCost: "give a higher maxCost, or an input that costs less",
  keyLimit: "ask a person for another key, or wait until its period is over",
  runCap: "ask a person to raise the run cap (mkt caps)",
  budget: "ask a person to raise the budget (mkt budgets), or wait until its period is over",
  wallet: "ask a person to credit the wallet (mkt wallet credit)",
};

function refusedBy(refusal: Quote["wouldBlock"][number]): string {
  return refusal.kind === "maxCost" ? `its maxCost (${dollars(refusal.available.value)})` : refusalWords(refusal);
}
