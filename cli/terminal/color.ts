import type { Environment } from "../../shared/places.ts";
import { isAgent } from "./agent.ts";

/**
 * Whether to colour what goes to a stream. NO_COLOR and the flag win, then FORCE_COLOR, then TERM and the terminal; an agent
 * gets none.
 */
export function wantsColor(flags: { color: boolean }, env: Environment, isTty: boolean): boolean {
  if (!flags.color || env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"]) return env["FORCE_COLOR"] !== "0" && env["FORCE_COLOR"] !== "false";
  return isTty && env["TERM"] !== "dumb" && !isAgent(env);
}
