import { UnreachableError } from "../../shared/client/service-error.ts";
import type { CliContext } from "../command/context.ts";
import { describeFailure, type Failure } from "../failure/failure.ts";
import type { Home, NextCommand } from "./home.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { isTerminal } from "../run/run-outcome.ts";

/** All requests are sent at once, so that it takes less than a second. */
const answerWithinMs = 700;
const shownRuns = 3;

type Answers = Pick<Home, "service" | "caller" | "wallet" | "runs">;

const nothing: Answers = { service: null, caller: null, wallet: null, runs: [] };

const discover: NextCommand = { what: "Find data", command: "mkt discover sunrise and sunset" };
const help: NextCommand = { what: "All commands", command: "mkt --help" };

/** Reads the overview from the current service. No daemon is started; what does not answer in time is left out. */
export async function readHome(context: CliContext): Promise<Home> {
  const { baseUrl, places, profile } = await context.settings();
  const problems: Failure[] = [];
  const answers = await readAnswers(context, async (error) => {
    problems.push(await describeFailure(error, context));
  });
  const [problem] = problems;
  return {
    version: context.io.version,
    profile: profile.name,
    dataDir: places.dataDir,
    address: baseUrl === undefined ? null : { url: baseUrl.value, from: baseUrl.from },
    ...answers,
    problem: problem === undefined ? null : { code: problem.code, message: problem.message },
    next: nextCommands(answers, problem?.next),
  };
}

async function readAnswers(context: CliContext, tell: (error: unknown) => Promise<void>): Promise<Answers> {
  const orNull = async <Answer>(question: Promise<Answer>): Promise<Answer | null> => {
    try {
      return await question;
    } catch (error) {
      await tell(error);
      return null;
    }
  };
  const client = await orNull(context.client());
  if (client === null) return nothing;
  const signal = AbortSignal.timeout(answerWithinMs);
  const [health, caller, wallet, runs] = await Promise.all([
    orNull(inTime(client.getHealth({}, { signal }), context)),
    orNull(inTime(client.whoami({}, { signal }), context)),
    orNull(inTime(client.getWalletBalance({}, { signal }), context)),
    orNull(inTime(client.listRuns({ query: { limit: shownRuns } }, { signal }), context)),
  ]);
  const service = health === null ? null : { status: health.status, version: health.version };
  return { service, caller, wallet, runs: runs?.items ?? [] };
}

/** A request that takes too long is reported as a service that does not answer. */
async function inTime<Answer>(answer: Promise<Answer>, context: CliContext): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "TimeoutError") throw error;
    const { baseUrl } = await context.settings();
    throw new UnreachableError(baseUrl?.value ?? "", new Error(`nothing within ${answerWithinMs / 1000} seconds`));
  }
}

/** What to try, depending on the state: first what fixes a problem, then what continues, then what is new. */
function nextCommands(
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
    : [{ what: "Wait for the open run", command: shellLine("mkt", "get-run", open.runId, "--wait") }];
}
