import type { Quote } from "../../shared/contract/quote.ts";
import type { CliContext } from "../command/context.ts";
import { exitCodes } from "../core/exit-codes.ts";
import { dollars } from "../../shared/words/money-words.ts";
import type { Output } from "../output/output.ts";
import { runPriceWords } from "../../shared/words/price-words.ts";
import { refusalWords } from "./quote-words.ts";
import { targetWords } from "../words/target.ts";

/**
 * Prints a quote, and sets the exit code that the run would have ended with where something would refuse it. What it would
 * cost is the last line on stderr, or with `--json` what would refuse it.
 */
export async function reportQuote(context: CliContext, quote: Quote): Promise<void> {
  const { output } = context;
  await output.show(quote, async () => (await import("./QuoteDetail.tsx")).QuoteDetail);
  const { estimate, maximum, price, wouldBlock } = quote;
  const failure = {
    // The quote is an answer, not an error of the service.
    code: 0,
    ...(wouldBlock[0]?.kind === "keyLimit" && { errorCode: "KEY_LIMIT" }),
    message: `This run would be refused by ${wouldBlock.map(refusalWords).join("; ")}. Nothing was run.`,
    next: nextStep(quote, output),
  };
  const isRefused = wouldBlock.length > 0;
  if (isRefused) context.exitCode = exitCodes.blocked;

  if (isRefused && !context.flags.json) await output.error(failure);
  const cost = `about ${dollars(estimate.value)}, at most ${dollars(maximum.value)}`;
  await output.note(`Would cost: ${cost} (price ${runPriceWords(price, quote)})`);
  if (isRefused && context.flags.json) await output.error(failure);
}

/** Where to look at what would refuse the run first. */
function nextStep({ wouldBlock: [first], ...target }: Quote, output: Output): string {
  switch (first?.kind) {
    case "runCap":
      return output.command("caps", "get", first.controlId ?? "");
    case "budget":
      return output.command("budgets", "get", first.controlId ?? "");
    case "wallet":
      return output.command("wallet");
    case "keyLimit":
      return output.command("whoami");
    default:
      return output.command("inspect", targetWords(target));
  }
}
