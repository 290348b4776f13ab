import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { InspectedRoute } from "../../shared/contract/route-members.ts";
import { Prose } from "../screen/Prose.tsx";
import { dollars } from "../../shared/words/money-words.ts";
import { memberLine } from "../words/route-words.ts";
import { targetWords } from "../words/target.ts";

/** The members of a route, in the order in which they would be tried now, and why. */
export function RouteMembers({ route }: { readonly route: InspectedRoute | undefined }): ReactElement | null {
  if (route === undefined) return null;
  const { maxPrice } = route;
  return (
    <Box flexDirection="column" marginTop={1}>
      <Text>
        <Text bold>members</Text>
        {maxPrice !== undefined && (
          <Text dimColor>{`  none that may cost more than ${dollars(maxPrice.value)} a run`}</Text>
        )}
      </Text>
      {route.members.map((member, index) => (
        <Prose key={targetWords(member)} text={memberLine(member, index + 1)} indent={2} />
      ))}
    </Box>
  );
}
