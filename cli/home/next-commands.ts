import { shellLine } from "../words/shell-line.ts";
import { isTerminal } from "../run/run-outcome.ts";
import type { Home, NextCommand } from "./home.ts";

const discover: NextCommand = { what: "Find data", command: "mkt discover sunrise and sunset" };
const help: NextCommand = { what: "All commands", command: "mkt --help" };

/** What to try, depending on the state: first what fixes a problem, then what continues, then what is new. */
export function nextCommands(
  { service, wallet, runs }: Pick<Home, "service" | "wallet" | "runs">,
  mend: string | undefined,
): NextCommand[] {
  const mending = mend === undefined ? [] : [{ what: "Mend it", command: mend }];
  if (service === null) return [...mending, help];
  return [...mending, ...walletSteps(wallet), ...runSteps(runs), discover, help];
}

function walletSteps(wallet: Home["wallet"]): NextCommand[] {
  if (wallet === null || wallet.unlimited || wallet.balance.value > 0) return [];
  return [{ what: "Credit the wallet (operator)", command: "mkt wallet credit 10" }];
}

function runSteps(runs: Home["runs"]): NextCommand[] {
  const [newest] = runs;
  if (newest === undefined)
    return [{ what: "Run something", command: "mkt run atlas/sun latitude=38.7 longitude=-9.1" }];
  const open = runs.find((run) => !isTerminal(run));
  return open === undefined
    ? [{ what: "Look at the last run", command: shellLine("mkt", "get-run", newest.runId) }]
    : [{ what: "Wait for the run under way", command: shellLine("mkt", "get-run", open.runId, "--wait") }];
}
