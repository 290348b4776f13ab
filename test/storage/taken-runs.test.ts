import { expect, test } from "vitest";
import { StoreState } from "../../daemon/storage/store-state.ts";
import { ownerCreated, runAccepted, runDone } from "./lines.ts";

test("a run that has ended is not ended once more as one that was refused", () => {
  const state = new StoreState(() => false);
  const refused = { ...runDone("r1", { status: "BLOCKED", heldMicroDollars: 0 }), led: [] };
  for (const line of [ownerCreated(), runAccepted("r1"), runDone("r1")]) state.take({ line });

  expect(() => state.take({ line: refused })).toThrow("is finished already");
});
