import { z } from "zod";
import { KEY_ROLES } from "./role-scopes.ts";

/** The purpose of a key. docs/contract.md, "Roles". */
export const KeyRole = z.enum(KEY_ROLES).meta({
  id: "KeyRole",
  description:
    "member: discovers, runs, reads and stops its own runs, sees what it has left. manager: also budgets, caps, the wallet, and members' keys and runs. owner: everything its creator has.",
});
export type KeyRole = z.infer<typeof KeyRole>;
