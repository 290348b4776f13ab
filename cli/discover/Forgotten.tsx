import { Text } from "ink";
import type { ReactElement } from "react";
import type { ForgetLearnedResponse } from "../../shared/contract/discovery.ts";
import type { ViewProps } from "../screen/view.ts";

/** How much was erased. */
export function Forgotten({ value: { erased } }: ViewProps<ForgetLearnedResponse>): ReactElement {
  if (erased === 0) return <Text>Nothing had been learned from what you ran.</Text>;
  return <Text>{`Erased: ${erased} ${erased === 1 ? "ask" : "asks"} with the endpoint that was run after it.`}</Text>;
}
