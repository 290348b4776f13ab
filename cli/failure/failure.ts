import { ServiceError, UnreachableError } from "../../shared/client/service-error.ts";
import { findProxy } from "../../shared/client/proxy.ts";
import { ApiError } from "../../shared/errors.ts";
import { errorText } from "../../shared/error-text.ts";
import { CliError } from "../core/cli-error.ts";
import type { Settings, Sourced } from "../connection/read-settings.ts";
import type { Explained } from "./explained.ts";
import type { CliContext } from "../command/context.ts";
import { errorCodeIn, needsAPerson } from "../core/error-code.ts";
import { exitCodeOfStatus, exitCodes, type ExitCode } from "../core/exit-codes.ts";
import { nextOfService } from "./service-next.ts";
import type { ToldError } from "../core/told-error.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";

/** An error as it is reported: the exit code, and what `--json` prints. */
export interface Failure extends ToldError {
  exitCode: ExitCode;
  /** Whether the service said that the same request may succeed after a wait. docs/contract.md, "Retry-After". */
  waitHelps?: boolean | undefined;
}

/** What the words for a failure are made from; a long-running server passes settings that are read again each time. */
export type FailureContext = Pick<CliContext, "io" | "flags" | "output" | "settings" | "suggestionFor">;

/** Anything thrown, in words: what happened, why, and the command to type next. */
export async function describeFailure(thrown: unknown, context: FailureContext): Promise<Failure> {
  if (thrown instanceof CliError) {
    return { exitCode: thrown.exitCode, code: thrown.status, message: thrown.message, next: thrown.next };
  }
  if (thrown instanceof ServiceError) return describeServiceError(thrown, context);
  if (thrown instanceof UnreachableError) return describeUnreachable(thrown, context);
  const message = errorText(thrown);
  // Commands on files use no service: the kind of error says the same as a status would.
  if (thrown instanceof ApiError) return { exitCode: exitCodeOfStatus(thrown.status), code: 0, message };
  return { exitCode: exitCodes.failed, code: 0, message: message || "An unexpected error occurred." };
}

async function describeServiceError(error: ServiceError, context: FailureContext): Promise<Failure> {
  const { status } = error;
  const other = await explainOtherAnswer(error, context);
  if (other) {
    const { why: message, next } = other;
    return { exitCode: exitCodes.unreachable, code: status, message, next };
  }
  const errorCode = errorCodeIn(error.body);
  return {
    exitCode: exitCodeOfStatus(status, errorCode),
    // A success that is not JSON has no error code to repeat: it was no error of a service.
    code: status < 300 ? 0 : status,
    errorCode,
    message: error.message + (await explanation(error, context)),
    next: await nextStep(error, context),
    ...(saysWait(error) && { waitHelps: true }),
  };
}

function saysWait({ status, headers, body }: ServiceError): boolean {
  const isBusy = status === 429 || status === 503 || status === 507;
  return isBusy && headers["retry-after"] !== undefined && !needsAPerson(errorCodeIn(body));
}

/** An answer that did not come from the service: a reverse proxy's redirect, or a port that speaks TLS. */
async function explainOtherAnswer(error: ServiceError, context: FailureContext): Promise<Explained | undefined> {
  const settings = await context.settings();
  if (error.status >= 300 && error.status < 400) {
    const { explainRedirect } = await import("./redirect-words.ts");
    return explainRedirect(error, settings);
  }
  const isPlainToTls = error.status === 400 && typeof error.body === "string" && plainToTls.test(error.body);
  if (!isPlainToTls || settings.baseUrl === undefined) return undefined;
  const { explainPlainToTls } = await import("./tls-words.ts");
  return explainPlainToTls(settings.baseUrl.value);
}

/** How nginx, Apache and Go say that http was used where https is expected. */
const plainToTls = /plain HTTP request was sent to HTTPS|plain HTTP to an SSL|HTTP request to an HTTPS server/i;

async function explanation(error: ServiceError, context: FailureContext): Promise<string> {
  const workspace = await refusedWorkspace(error, context);
  // It may also come from a variable or a profile, which the command line does not show.
  if (workspace) return ` (it was named by ${workspace.from})`;
  switch (error.status) {
    case 401: {
      const settings = await context.settings();
      const { key, keyWithheld, keyKeptFor, profileKeyWithheld, profile, baseUrl } = settings;
      if (keyWithheld) {
        return " (the daemon of this address is not running, and its key is not sent to another program that may listen there)";
      }
      if (keyKeptFor !== undefined) {
        const whose = profileKeyWithheld ? `the profile ${profile.name}` : "the local daemon";
        return ` (no key was sent: that of ${whose} belongs to ${keyKeptFor}, and ${baseUrl?.value} was asked)`;
      }
      if (!key && isOfProfile(settings)) return ` (the profile ${profile.name} has no key)`;
      if (!key) return " (no API key is set: MKT_API_KEY or --key-file)";
      const file = key.from === "--key-file" ? ` ${context.flags.keyFile}` : "";
      return ` (the key came from ${key.from}${file})`;
    }
    case 404:
      return isOperatorRoute(error) ? ". Or your key is not the operator's; only the operator may do this." : "";
    case 429:
    case 503:
    case 507:
      return saysWait(error) && !/retry after/i.test(error.message)
        ? ` Try again in ${error.headers["retry-after"]} seconds.`
        : "";
    default:
      return error.status >= 500 && error.requestId && !error.message.includes(error.requestId)
        ? ` (request ${error.requestId})`
        : "";
  }
}

async function nextStep(error: ServiceError, context: FailureContext): Promise<string | undefined> {
  if (isOperatorRoute(error)) return "mkt whoami";
  const suggested =
    nextOfService(error.body) ??
    nextWithoutWorkspace(await refusedWorkspace(error, context)) ??
    nextForProvider(error) ??
    context.suggestionFor(error.status);
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

/** The named workspace, if the error is about it. */
async function refusedWorkspace({ message }: ServiceError, context: FailureContext): Promise<Sourced | undefined> {
  const { workspace } = await context.settings();
  return workspace && message.includes(`orkspace "${workspace.value}"`) ? workspace : undefined;
}

/** As long as that workspace is named, every other command is refused as well. */
function nextWithoutWorkspace(workspace: Sourced | undefined): string | undefined {
  if (workspace?.from === "--workspace") return "mkt workspaces";
  return workspace?.from === "MKT_WORKSPACE" ? "unset MKT_WORKSPACE" : undefined;
}

/** For an unknown provider: the list of existing ones, or the endpoints of the one that was probably meant. */
function nextForProvider({ status, message }: ServiceError): string | undefined {
  if (status !== 404 || !/^Provider "[^"]*" was not found/.test(message)) return undefined;
  const [, meant] = /did you mean "([^"]+)"/.exec(message) ?? [];
  return meant === undefined ? "mkt providers" : shellLine("mkt", "endpoints", "--provider", meant);
}

/** The service answers for an operator's route as for one that does not exist. docs/contract.md, "Operator". */
function isOperatorRoute({ status, message }: ServiceError): boolean {
  return status === 404 && /^[A-Z]+ \/v1\/admin\/\S* is not a route/.test(message);
}

async function nextForRefusedKey(context: FailureContext): Promise<string> {
  const settings = await context.settings();
  const { key, keyWithheld, baseUrl } = settings;
  if (keyWithheld) return "mkt daemon start";
  if (baseUrl?.from === "mkt login") {
    return shellLine("mkt", "login", settings.profile.name, "--api-url", baseUrl.value);
  }
  // A flag takes precedence over MKT_API_URL.
  if (settings.keyKeptFor !== undefined) return shellLine("mkt", "whoami", "--api-url", settings.keyKeptFor);
  if (isOfProfile(settings) && key?.from !== "MKT_API_KEY" && key?.from !== "--key-file") {
    return shellLine("mkt", "login", settings.profile.name);
  }
  if (baseUrl?.from !== "the local daemon") return "mkt whoami --key-file <file>";
  // The local daemon has its own key, which is used when no other is given.
  if (key?.from === "MKT_API_KEY") return "unset MKT_API_KEY";
  if (key?.from === "--key-file") return "mkt whoami";
  return `${context.output.command("daemon", "stop")} && ${context.output.command("daemon", "reset-owner-key")}`;
}

function isOfProfile({ baseUrl, profile }: Settings): boolean {
  return baseUrl?.from === `the profile ${profile.name}`;
}

async function describeUnreachable(error: UnreachableError, context: FailureContext): Promise<Failure> {
  const { baseUrl, places } = await context.settings();
  const failure = { exitCode: exitCodes.unreachable, code: 0 };
  if (baseUrl === undefined) return { ...failure, message: `${error.message}.` };
  if (baseUrl.from !== "the local daemon") {
    const explained = await explainConnection(baseUrl.value, error.cause, context);
    if (explained) return { ...failure, message: explained.why, next: explained.next };
    const next = shellLine("curl", `${baseUrl.value.replace(/\/+$/, "")}/health`);
    return { ...failure, message: `${error.message}. The address came from ${baseUrl.from}.`, next };
  }
  if (!isRefused(error.cause)) return { ...failure, message: `${error.message}.`, next: "mkt daemon status" };
  const message = `The local daemon of ${places.dataDir} is not running: nothing answers at ${baseUrl.value}.`;
  return { ...failure, message, next: "mkt daemon start" };
}

async function explainConnection(
  address: string,
  cause: unknown,
  { io }: FailureContext,
): Promise<Explained | undefined> {
  const [{ explainTls, explainPlainToTls }, { explainProxy }] = await Promise.all([
    import("./tls-words.ts"),
    import("./proxy-words.ts"),
  ]);
  const explained = explainProxy(address, cause) ?? explainTls(address, cause);
  if (explained || !address.startsWith("http:") || isRefused(cause) || findProxy(address, io.env)) return explained;
  const { speaksTls } = await import("./speaks-tls.ts");
  return (await speaksTls(address)) ? explainPlainToTls(address) : undefined;
}

function isRefused(cause: unknown): boolean {
  return systemErrorCode(cause) === "ECONNREFUSED";
}
