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
export function needsAPerson(errorCode: string | undefined): boolean {
  return errorCode !== undefined && setByAPerson.has(errorCode);
}

/** NOT_CONFIGURED came with a missing secret or grant from services up to 0.1.0, too. */
const setByAPerson: ReadonlySet<string> = new Set([
  "MISSING_GRANT",
  "MISSING_SECRET",
  "NOT_CONFIGURED",
  "NOT_CONNECTED",
  "PROVIDER_NOT_LOADED",
  "STORAGE_FAILED",
]);
