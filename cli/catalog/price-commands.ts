import { InvalidArgumentError } from "commander";
import type { PutPriceRequest } from "../../shared/contract/admin.ts";
import type { Money } from "../../shared/contract/common.ts";
import { usageError } from "../core/cli-error.ts";
import type { CliContext } from "../command/context.ts";
import { Command } from "../command/command.ts";
import { parseAmount, parsePriceCeiling } from "../flags/option-values.ts";

interface PriceFlags {
  per?: Per;
  flatFee?: Money;
  remove?: true;
}

/** What an amount is for. */
type Per =
  | { readonly type: "PER_CALL" | "PER_RESULT" }
  | { readonly type: "PER_UNIT"; readonly per: number; readonly unit: "token" | "character" | "second" | "image" }
  | { readonly type: "METERED"; readonly per: { readonly unit: "MINUTE" | "DAY" | "MONTH"; readonly count: number } };

/**
 * What callers pay, as the owner sets it: it replaces the price in a provider's file, and survives updates of the file.
 */
export function priceCommand(context: CliContext): Command {
  return new Command("price")
    .summary("Set what callers pay, instead of a file's price")
    .description("Set what callers pay for an endpoint or a whole provider, instead of the price in its file")
    .argument("<provider[/endpoint]>", "an endpoint, or a provider: all its endpoints without their own price here")
    .argument("[dollars]", "such as 0.005", parsePriceCeiling)
    .option(
      "--per <what>",
      'call, result, or units and time: token, "1000 characters", second, image, minute',
      parsePer,
    )
    .option("--flat-fee <dollars>", "for the run itself, in addition to the price of each result", parseAmount)
    .option("--remove", "remove it: the price in the provider's file applies again")
    .examples(
      "mkt catalog price shop/good 0.005",
      "mkt catalog price shop 0.002 --per call",
      "mkt catalog price shop/good --remove",
    )
    .action(async (words: string, amount: Money | undefined, flags: PriceFlags) => {
      const target = parsePriced(words);
      if (flags.remove === true && amount !== undefined) {
        throw usageError("Set or remove a price, not both: leave out the amount, or --remove.");
      }
      context.suggest(404, "mkt catalog prices");
      const client = await context.client();
      if (flags.remove === true) {
        const { provider, ...query } = target;
        await client.deletePrice({ params: { provider }, query });
        await context.output.note(`${words} has the price of its provider's file again.`);
        return;
      }
      if (amount === undefined) {
        throw usageError(`What does ${words} cost? Name dollars, such as: mkt catalog price ${words} 0.005`);
      }
      const price = priceOf(amount, flags);
      const set = await client.putPrice({ body: { ...target, price } });
      await context.output.show(set, async () => (await import("./OwnerPriceScreens.tsx")).OwnerPriceSet);
    });
}

export function listPricesCommand(context: CliContext): Command {
  return new Command("prices")
    .description("List the prices that you set instead of those in provider files")
    .examples("mkt catalog prices")
    .action(async () => {
      const client = await context.client();
      const prices = await client.listPrices();
      await context.output.list(
        prices,
        prices.items,
        async () => (await import("./OwnerPriceScreens.tsx")).OwnerPriceList,
      );
    });
}

function parsePriced(words: string): { provider: string; endpoint?: string } {
  const slash = words.indexOf("/");
  if (slash === 0 || words === "")
    throw usageError(`"${words}" names no provider, such as acme-maps/routes.`, "mkt providers");
  if (slash < 0 || slash === words.length - 1) return { provider: words.replace("/", "") };
  return { provider: words.slice(0, slash), endpoint: words.slice(slash) };
}

function priceOf(amount: Money, { per = { type: "PER_CALL" }, flatFee }: PriceFlags): PutPriceRequest["price"] {
  if (flatFee !== undefined && per.type !== "PER_RESULT") {
    throw usageError("--flat-fee needs --per result: a price by the call or the unit has no flat fee.");
  }
  switch (per.type) {
    case "PER_CALL":
      return { type: per.type, amount };
    case "PER_RESULT":
      return { type: per.type, amount, ...(flatFee !== undefined && { flatFee }) };
    case "PER_UNIT":
      return { type: per.type, amount, per: per.per, unit: per.unit };
    case "METERED":
      return { type: per.type, amount, per: { ...per.per } };
  }
}

function parsePer(text: string): Per {
  const [, digits, word = ""] = /^\s*(?:(\d+)\s+)?([a-z]+?)s?\s*$/i.exec(text) ?? [];
  const count = digits === undefined ? 1 : Number(digits);
  const name = word.toLowerCase();
  if (count >= 1 && Number.isSafeInteger(count)) {
    if (name === "call" && count === 1) return { type: "PER_CALL" };
    if (name === "result" && count === 1) return { type: "PER_RESULT" };
    if (name === "token" || name === "character" || name === "second" || name === "image") {
      return { type: "PER_UNIT", per: count, unit: name };
    }
    if (name === "minute" || name === "day") return { type: "METERED", per: { unit: periods[name], count } };
  }
  throw new InvalidArgumentError(
    'It must be call, result, token, character, second, image, minute or day, units with a number before them: "1000 tokens".',
  );
}

const periods = { minute: "MINUTE", day: "DAY" } as const;
