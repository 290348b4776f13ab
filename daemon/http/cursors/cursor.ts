import { createHash } from "node:crypto";
import { ApiError } from "../../../shared/errors.ts";

const CHECKSUM_BYTES = 6;

/**
 * An opaque cursor for the position after which the next page of `kind` starts. Numbers must be finite. It survives
 * restarts and grants nothing: its user still needs the right to read the list.
 */
export function encodeCursor(kind: string, position: number | string): string {
  const payload = Buffer.from(JSON.stringify([kind, position]));
  return Buffer.concat([checksum(payload), payload]).toString("base64url");
}

/**
 * The position in a cursor of this kind; 400 for anything that this service did not issue. docs/contract.md, "Cursors".
 */
export function decodeCursor(kind: string, text: string): number | string {
  const [itsKind, position] = readCursor(text);
  if (itsKind !== kind || !isPosition(position)) throw unknownCursor();
  return position;
}

/** True if the cursor holds an id, or a number up to `newest`. False for anything that is not a cursor. */
export function namesUpTo(text: string, newest: number): boolean {
  const [, position] = readCursor(text);
  if (!isPosition(position)) return false;
  // A movement is named `1234-1`. An id is not a number.
  const number = Number(String(position).split("-")[0]);
  return Number.isNaN(number) || number <= newest;
}

export function unknownCursor(): ApiError {
  return new ApiError(
    "invalidInput",
    "cursor: this is not a cursor of this list; pass the cursor of the page before, or leave it out to start again",
  );
}

/** Kind and position; neither without our checksum, which is not secret. */
function readCursor(text: string): readonly unknown[] {
  const bytes = Buffer.from(text, "base64url");
  const payload = bytes.subarray(CHECKSUM_BYTES);
  const genuine = bytes.toString("base64url") === text && checksum(payload).equals(bytes.subarray(0, CHECKSUM_BYTES));
  const content: unknown = genuine ? parseJson(payload.toString()) : undefined;
  return Array.isArray(content) ? content : [];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isPosition(value: unknown): value is number | string {
  return typeof value === "number" || typeof value === "string";
}

function checksum(payload: Buffer): Buffer {
  return createHash("sha256").update("mkt-cursor\n").update(payload).digest().subarray(0, CHECKSUM_BYTES);
}
