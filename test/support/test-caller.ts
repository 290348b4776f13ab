import type { WorkspaceCaller } from "../../daemon/http/callers/caller.ts";

/** Who asks in tests that call services without the doors before them: the key `k1` of the workspace `w1`. */
export const testCaller: WorkspaceCaller = {
  kind: "API_KEY",
  actor: "API_KEY#k1",
  userId: "u1",
  workspaceId: "w1",
  scopes: ["*"],
  operator: false,
};
