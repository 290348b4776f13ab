import { ServiceError, UnreachableError } from "../shared/client/service-error.ts";
import { ApiError } from "../shared/errors.ts";
import { CliError } from "./cli-error.ts";
import type { CliContext } from "./context.ts";
import { exitCodeOfStatus, exitCodes, type ExitCode } from "./exit-codes.ts";
import { shellLine } from "./shell-line.ts";

/** An error as it is told: the exit code, and what `--json` prints. `code` is 0 when there was no answer. */
export interface Failure {
  exitCode: ExitCode;
  code: number;
  message: string;
  next?: string | undefined;
}

/** Anything thrown, in words: what happened, why, and the command to type next. */
export async function describeFailure(thrown: unknown, context: CliContext): Promise<Failure> {
  if (thrown instanceof CliError) {
    return { exitCode: thrown.exitCode, code: thrown.status, message: thrown.message, next: thrown.next };
  }
  if (thrown instanceof ServiceError) return describeServiceError(thrown, context);
  if (thrown instanceof UnreachableError) return describeUnreachable(thrown, context);
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  // Commands on files have no service between: the kind says the same as its status would.
  if (thrown instanceof ApiError) return { exitCode: exitCodeOfStatus(thrown.status), code: 0, message };
  return { exitCode: exitCodes.failed, code: 0, message: message || "Something unforeseen happened." };
}

async function describeServiceError(error: ServiceError, context: CliContext): Promise<Failure> {
  const { status } = error;
  return {
    exitCode: exitCodeOfStatus(status),
    code: status,
    message: error.message + (await explanation(error, context)),
    next: await nextStep(error, context),
  };
}

async function explanation(error: ServiceError, context: CliContext): Promise<string> {
  switch (error.status) {
    case 401: {
      const { key, keyWithheld } = await context.settings();
      if (keyWithheld) {
        return " (the daemon that had this address does not run, and its key is not sent to whoever listens there now)";
      }
      if (!key) return " (no API key is set: MKT_API_KEY or --key-file)";
      const file = key.from === "--key-file" ? ` ${context.flags.keyFile}` : "";
      return ` (the key came from ${key.from}${file})`;
    }
    case 404:
      return isOperatorRoute(error) ? ". Or your key is not the operator's, to whom this is open." : "";
    case 429:
    case 503:
    case 507: {
      const seconds = error.headers["retry-after"];
      return seconds && !/retry after/i.test(error.message) ? ` Try again in ${seconds} seconds.` : "";
    }
    default:
      return error.status >= 500 && error.requestId && !error.message.includes(error.requestId)
        ? ` (request ${error.requestId})`
        : "";
  }
}

async function nextStep(error: ServiceError, context: CliContext): Promise<string | undefined> {
  if (isOperatorRoute(error)) return "mkt whoami";
  const suggested = nextOf(error.body) ?? context.suggestionFor(error.status);
  if (suggested !== undefined) return suggested;
  switch (error.status) {
    case 401:
      return nextForRefusedKey(context);
    case 403:
      return "mkt whoami";
    default:
      return undefined;
  }
}

/** The service does not tell an operator's route from one that it does not have. Contract semantics, 17. */
function isOperatorRoute({ status, message }: ServiceError): boolean {
  return status === 404 && /^[A-Z]+ \/v1\/admin\/\S* is not a route/.test(message);
}

/** Words that a shell takes as they are: plain or in single quotes. A service's command may hold nothing else. */
const plainCommand = /^mkt(?: (?:[\w./:=,@-]|'[^'\p{Cc}\p{Cf}]*')+)+$/u;

/** The command that the service itself names, if it is one of `mkt` and nothing more. */
function nextOf(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null || !("next" in body) || typeof body.next !== "string") return undefined;
  return body.next.length <= 500 && plainCommand.test(body.next) ? body.next : undefined;
}

async function nextForRefusedKey(context: CliContext): Promise<string> {
  const { key, keyWithheld, baseUrl } = await context.settings();
  if (keyWithheld) return "mkt daemon start";
  if (baseUrl?.from !== "the local daemon") return "mkt whoami --key-file <file>";
  // The local daemon has a key of its own, which is used where no other is given.
  if (key?.from === "MKT_API_KEY") return "unset MKT_API_KEY";
  if (key?.from === "--key-file") return "mkt whoami";
  return `${context.output.command("daemon", "stop")} && ${context.output.command("daemon", "reset-owner-key")}`;
}

async function describeUnreachable(error: UnreachableError, context: CliContext): Promise<Failure> {
  const { baseUrl, places } = await context.settings();
  const failure = { exitCode: exitCodes.unreachable, code: 0 };
  if (baseUrl === undefined) return { ...failure, message: `${error.message}.` };
  if (baseUrl.from !== "the local daemon") {
    const next = shellLine("curl", `${baseUrl.value.replace(/\/+$/, "")}/health`);
    return { ...failure, message: `${error.message}. The address came from ${baseUrl.from}.`, next };
  }
  if (!isRefused(error.cause)) return { ...failure, message: `${error.message}.`, next: "mkt daemon status" };
  const message = `The local daemon of ${places.dataDir} does not run: nothing answers at ${baseUrl.value}.`;
  return { ...failure, message, next: "mkt daemon start" };
}

function isRefused(cause: unknown): boolean {
  return typeof cause === "object" && cause !== null && "code" in cause && cause.code === "ECONNREFUSED";
}
