import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { countWords } from "../../shared/count-words.ts";
import { NextSteps } from "../screen/NextSteps.tsx";
import type { ViewProps } from "../screen/view.ts";
import { dollars } from "../../shared/words/money-words.ts";
import type { BatchQuoteAnswer } from "./quote-rows.ts";

/** What a batch would cost. */
export function BatchQuoteDetail({ value }: ViewProps<BatchQuoteAnswer>): ReactElement {
  return (
    <Box flexDirection="column">
      <Text>
        <Text bold>{`about ${dollars(value.estimate.value)}, at most ${dollars(value.maximum.value)}`}</Text>
        <Text>{`  ${value.endpoint}, ${countWords(value.rows, "row")}`}</Text>
      </Text>
      <NextSteps steps={[{ what: "Run them", command: value.run }]} />
    </Box>
  );
}
