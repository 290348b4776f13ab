import { isRecord } from "../../shared/is-record.ts";

/**
 * The machine code in an error's body, such as `KEY_LIMIT`; undefined where there is none.
 * docs/contract.md, "Error codes".
 */
export function errorCodeIn(body: unknown): string | undefined {
  if (!isRecord(body)) return undefined;
  const { errorCode } = body;
  return typeof errorCode === "string" && machineCode.test(errorCode) ? errorCode : undefined;
}

const machineCode = /^[A-Z0-9_]{1,64}$/;

/** Whether somebody has to set something up first: a retry is refused again, whatever a header says about waiting. */
export function needsTheOperator(errorCode: string | undefined): boolean {
  return errorCode === "NOT_CONFIGURED" || errorCode === "NOT_CONNECTED" || errorCode === "PROVIDER_NOT_LOADED";
}
