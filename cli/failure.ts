import { ServiceError, UnreachableError } from "../shared/client/service-error.ts";
import { CliError } from "./cli-error.ts";
import type { CliContext } from "./context.ts";
import { exitCodeOfStatus, exitCodes, type ExitCode } from "./exit-codes.ts";

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
      const { key } = await context.settings();
      return key ? ` (the key came from ${key.from})` : " (no API key is set: MKT_API_KEY or --key-file)";
    }
    case 429:
    case 503: {
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
  const suggested = context.suggestionFor(error.status);
  if (suggested !== undefined) return suggested;
  switch (error.status) {
    case 401: {
      const { key, baseUrl } = await context.settings();
      const source = key?.from ?? baseUrl?.from;
      return source === "the local daemon" ? "mkt daemon stop && mkt daemon reset-owner-key" : undefined;
    }
    case 402:
      return hasErrorCode(error.body, "WALLET_INSUFFICIENT_FUNDS") ? "mkt wallet credit 10" : undefined;
    case 403:
      return "mkt whoami";
    default:
      return undefined;
  }
}

async function describeUnreachable(error: UnreachableError, context: CliContext): Promise<Failure> {
  const { baseUrl } = await context.settings();
  const isLocal = baseUrl?.from === "the local daemon";
  return {
    exitCode: exitCodes.unreachable,
    code: 0,
    message: `${error.message}.${isLocal || !baseUrl ? "" : ` The address came from ${baseUrl.from}.`}`,
    next: isLocal ? "mkt daemon status" : undefined,
  };
}

function hasErrorCode(body: unknown, errorCode: string): boolean {
  return typeof body === "object" && body !== null && "errorCode" in body && body.errorCode === errorCode;
}
