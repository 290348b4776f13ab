/**
 * What the exit code of a command says. Written once: `--help` prints this table, the tests read it, and a code keeps
 * its meaning for ever. Contract: docs/command-line.md, "Exit codes".
 */
export const exitCodes = {
  delivered: 0,
  failed: 1,
  usage: 2,
  providerError: 3,
  unauthorized: 4,
  refused: 5,
  waitingTimedOut: 6,
  blocked: 7,
  notFound: 8,
  unreachable: 9,
  stopped: 10,
  overloaded: 11,
  notSetUp: 12,
  someDelivered: 13,
  waitsForApproval: 14,
  notConnected: 15,
  badProviderFile: 16,
  interrupted: 130,
} as const;

/** Further exit codes of `mkt daemon`, and so of whatever starts one. */
export const daemonExitCodes = {
  damagedData: 65,
  lostLock: 70,
  diskFailed: 74,
  dataFolderInUse: 75,
  refusedConfiguration: 78,
} as const;

type Codes = typeof exitCodes & typeof daemonExitCodes;
export type ExitCode = Codes[keyof Codes];

/** Every code of the CLI in words, in order. */
export const exitCodeMeanings: readonly { code: number; meaning: string }[] = [
  { code: exitCodes.delivered, meaning: "data delivered" },
  { code: exitCodes.failed, meaning: "the run FAILED, or an unexpected error" },
  { code: exitCodes.usage, meaning: "wrong usage" },
  { code: exitCodes.providerError, meaning: "the provider answered an error; nothing is charged" },
  { code: exitCodes.unauthorized, meaning: "authentication or permission" },
  { code: exitCodes.refused, meaning: "input refused" },
  { code: exitCodes.waitingTimedOut, meaning: "waiting timed out; the run continues" },
  {
    code: exitCodes.blocked,
    meaning: "BLOCKED by a budget, cap or person, key limit used up, or wallet too low",
  },
  { code: exitCodes.notFound, meaning: "not found" },
  { code: exitCodes.unreachable, meaning: "daemon or deployment not reachable" },
  { code: exitCodes.stopped, meaning: "the run was STOPPED or TIMED_OUT" },
  { code: exitCodes.overloaded, meaning: "rate limited, overloaded or out of space" },
  {
    code: exitCodes.notSetUp,
    meaning: "not set up: a secret, a grant or a setting of the operator is missing",
  },
  { code: exitCodes.someDelivered, meaning: "some rows of a batch delivered data, others did not" },
  { code: exitCodes.waitsForApproval, meaning: "the run waits for a person's approval" },
  { code: exitCodes.notConnected, meaning: "no usable account: mkt connect <provider>" },
  { code: exitCodes.badProviderFile, meaning: "a mistake in the provider's file" },
  { code: exitCodes.interrupted, meaning: "Ctrl-C" },
];

/** The daemon's own codes in words, in order. */
export const daemonExitCodeMeanings: readonly { code: number; meaning: string }[] = [
  { code: daemonExitCodes.damagedData, meaning: "damaged data" },
  { code: daemonExitCodes.lostLock, meaning: "lost its lock" },
  { code: daemonExitCodes.diskFailed, meaning: "the disk failed" },
  { code: daemonExitCodes.dataFolderInUse, meaning: "data folder in use" },
  {
    code: daemonExitCodes.refusedConfiguration,
    meaning: "refused configuration: port taken, folder open to others, bad setting",
  },
];

const codesByStatus: Readonly<Record<number, ExitCode>> = {
  400: exitCodes.refused,
  401: exitCodes.unauthorized,
  402: exitCodes.blocked,
  403: exitCodes.unauthorized,
  404: exitCodes.notFound,
  408: exitCodes.stopped,
  409: exitCodes.refused,
  413: exitCodes.refused,
  415: exitCodes.refused,
  422: exitCodes.refused,
  429: exitCodes.overloaded,
  431: exitCodes.refused,
  503: exitCodes.overloaded,
  507: exitCodes.overloaded,
};

/** For errors that the service describes more exactly than by the status. docs/contract.md, "Error codes". */
const codesByErrorCode: Readonly<Record<string, ExitCode>> = {
  APPROVALS_FULL: exitCodes.blocked,
  KEY_LIMIT: exitCodes.blocked,
  MISSING_GRANT: exitCodes.notSetUp,
  MISSING_SECRET: exitCodes.notSetUp,
  NOT_CONFIGURED: exitCodes.notSetUp,
  NOT_CONNECTED: exitCodes.notConnected,
  PROVIDER_NOT_LOADED: exitCodes.badProviderFile,
  STORAGE_FAILED: exitCodes.failed,
};

/**
 * The code for a service's error by its status and, where it has one, its `errorCode`; 1 for every status not foreseen.
 */
export function exitCodeOfStatus(status: number, errorCode?: string): ExitCode {
  const told = errorCode === undefined ? undefined : codesByErrorCode[errorCode];
  return told ?? codesByStatus[status] ?? exitCodes.failed;
}

/** What the outcome of a run is read from. */
export interface RunOutcome {
  status: string;
  approval?: { status: string } | undefined;
  providerResponse?: { httpStatus: number } | undefined;
  error?: string | { readonly errorCode?: string | undefined } | undefined;
}

/** The code for a run as it stands; 0 for one that still goes on. */
export function exitCodeOfRun(run: RunOutcome): ExitCode {
  switch (run.status) {
    case "COMPLETED":
      return isSuccess(run.providerResponse?.httpStatus) ? exitCodes.delivered : exitCodes.providerError;
    case "FAILED":
      return codeOfError(run.error) ?? exitCodes.failed;
    case "BLOCKED":
      return exitCodes.blocked;
    case "STOPPED":
    case "TIMED_OUT":
      return exitCodes.stopped;
    default:
      return isAwaitingApproval(run) ? exitCodes.waitsForApproval : exitCodes.delivered;
  }
}

/** Whether a person has to say yes before the run begins. */
export function isAwaitingApproval({ status, approval }: Pick<RunOutcome, "status" | "approval">): boolean {
  return status === "READY" && approval?.status === "WAITING";
}

function codeOfError(error: RunOutcome["error"]): ExitCode | undefined {
  return typeof error === "object" && error.errorCode !== undefined ? codesByErrorCode[error.errorCode] : undefined;
}

function isSuccess(httpStatus: number | undefined): boolean {
  return httpStatus === undefined || (httpStatus >= 200 && httpStatus < 300);
}
