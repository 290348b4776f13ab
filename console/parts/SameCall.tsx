import { useState } from "preact/hooks";
import { Copied } from "./Copied.tsx";
import { Tabs } from "./Tabs.tsx";
import { baseUrl } from "../service/api.ts";
import { type RunCall, sameCalls } from "../words/calls.ts";

/** The run of the screen as others would make it. */
export function SameCall(call: RunCall) {
  const [chosen, choose] = useState<keyof ReturnType<typeof sameCalls>>("mkt");
  const calls = sameCalls(call, baseUrl);
  const names = Object.keys(calls) as (keyof typeof calls)[];
  return (
    <Tabs
      label="The same call"
      tabs={names.map((id) => ({ id, name: id }))}
      chosen={chosen}
      onChoose={(id) => choose(id as typeof chosen)}
    >
      <Copied text={calls[chosen]} label={chosen} />
    </Tabs>
  );
}
