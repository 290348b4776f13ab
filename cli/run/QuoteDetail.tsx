import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { Quote } from "../../shared/contract/quote.ts";
import { dollars } from "../../shared/words/money-words.ts";
import { runPriceWords } from "../../shared/words/price-words.ts";
import { quotedMembers } from "../words/route-words.ts";
import { refusalWords } from "./quote-words.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { targetWords } from "../words/target.ts";
import { Facts } from "../screen/Facts.tsx";
import { NextSteps } from "../screen/NextSteps.tsx";
import type { ViewProps } from "../screen/view.ts";

/** What a run would cost, and what would refuse it. */
export function QuoteDetail({ value }: ViewProps<Quote>): ReactElement {
  const { label, quantity } = value.rule;
  return (
    <Box flexDirection="column">
      <Text>
        <Text bold>{`about ${dollars(value.estimate.value)}, at most ${dollars(value.maximum.value)}`}</Text>
        <Text>{`  ${targetWords(value)}`}</Text>
      </Text>
      <Facts
        facts={[
          ["price", runPriceWords(value.price, value)],
          ["rule", label],
          ["quantity", quantity === undefined ? undefined : String(quantity)],
          ["pages", value.maxPages === undefined ? undefined : `up to ${value.maxPages}`],
          ...quotedMembers(value).map((line, index): [string, string] => [index === 0 ? "members" : "", line]),
          ["refused by", value.wouldBlock.map(refusalWords).join("; ")],
        ]}
      />
      <NextSteps steps={[{ what: "What it takes", command: shellLine("mkt", "inspect", targetWords(value)) }]} />
    </Box>
  );
}
