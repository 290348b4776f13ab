import { Box } from "ink";
import type { ReactElement } from "react";
import type { AdminSettings } from "../../shared/contract/admin.ts";
import { Facts, type Fact } from "../screen/Facts.tsx";
import { NextSteps } from "../screen/NextSteps.tsx";
import type { ViewProps } from "../screen/view.ts";

/** Settings by the names under which they are changed. */
export function Settings({ value }: ViewProps<AdminSettings>): ReactElement {
  return (
    <Box flexDirection="column">
      <Facts facts={facts(value, "")} />
      <NextSteps steps={[{ what: "Change one", command: "mkt settings set discoverFloor=0.2" }]} />
    </Box>
  );
}

function facts(value: object, prefix: string): Fact[] {
  return Object.entries(value).flatMap(([name, member]: [string, unknown]): Fact[] =>
    typeof member === "object" && member !== null
      ? facts(member, `${prefix}${name}.`)
      : [[`${prefix}${name}`, String(member)]],
  );
}
