import type { Failure } from "../failure/failure.ts";

/** What an agent does next when a tool's call failed with this status; calls of tools are written as hints are. */
type NextByStatus = Readonly<Record<number, string>>;

const forEndpoint = {
  400: "inspect the endpoint: it shows the input that it takes, with examples.",
  404: "discover what there is; provider and endpoint go in as it gives them.",
} as const;

const nextByTool: Readonly<Record<string, NextByStatus>> = {
  discover: { 400: "change the arguments as the message says." },
  inspect: forEndpoint,
  // A 402 needs nothing more: its message says what it may cost and what to do.
  quote: forEndpoint,
  run: forEndpoint,
  get_run: { 404: "list_runs shows the runs of this workspace." },
  stop_run: { 404: "list_runs shows the runs of this workspace.", 409: "get_run shows how the run ended." },
  list_runs: { 400: "change the arguments as the message says; a cursor is of use only as list_runs gave it." },
  resources: { 404: "resources without resourceId lists them." },
  release: { 404: "resources lists them.", 409: "resources shows its state." },
};

const nextByStatus: NextByStatus = {
  0: "call again in a moment; the service did not answer.",
  500: "do not repeat it; tell the operator, with the message.",
  502: "the provider did not answer; call again later, or use another endpoint.",
  503: "the service does not say that waiting helps: tell the operator, or use another endpoint.",
  507: "tell the operator that the disk is full; call again when there is room.",
  508: "use another endpoint: this one leads back to the market that asked.",
};

/** For 429, 503 and 507 with Retry-After, which the message names. docs/contract.md, "Retry-After". */
const AFTER_A_WAIT = "wait as long as the message says, then call again; if it stays so, tell the operator.";

/** The service's machine code takes precedence over its status. docs/contract.md, "Error codes". */
const nextByErrorCode: Readonly<Record<string, string>> = {
  MISSING_GRANT: "do not call it again before the operator has granted it; discover finds other endpoints.",
  MISSING_SECRET: "do not call it again before the operator has stored the key; discover finds other endpoints.",
  NOT_CONFIGURED: "do not call it again before a person has set it up; discover finds other endpoints.",
  NOT_CONNECTED: "do not call it again before a person has logged in; discover finds other endpoints.",
  STORAGE_FAILED: "do not call anything again before the operator has looked at the disk and restarted the service.",
  PROVIDER_NOT_LOADED: "do not call it again before a person has fixed its file; discover finds other endpoints.",
};

/** A failed call in words: what happened, what to do next, and what a person can type at a terminal. */
export function failureLines(tool: string, { code, errorCode = "", message, next, waitHelps }: Failure): string[] {
  const step =
    nextByErrorCode[errorCode] ??
    (waitHelps === true ? AFTER_A_WAIT : undefined) ??
    nextByTool[tool]?.[code] ??
    nextByStatus[code];
  const isTold = next === undefined || message.includes(next);
  return [
    code === 0 ? `Error: ${message}` : `Error ${code}: ${message}`,
    ...(step === undefined ? [] : [`Next: ${step}`]),
    ...(isTold ? [] : [`A person at a terminal can type: ${next}`]),
  ];
}
