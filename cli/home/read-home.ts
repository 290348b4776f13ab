import { UnreachableError } from "../../shared/client/service-error.ts";
import type { CliContext } from "../command/context.ts";
import { describeFailure, type Failure } from "../failure/failure.ts";
import type { Home } from "./home.ts";
import { nextCommands } from "./next-commands.ts";

/** All requests are sent at once, so that it takes less than a second. */
const answerWithinMs = 700;
const shownRuns = 3;

type Answers = Pick<Home, "service" | "caller" | "wallet" | "runs">;

const nothing: Answers = { service: null, caller: null, wallet: null, runs: [] };

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
