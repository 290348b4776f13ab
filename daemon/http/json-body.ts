import { ApiError } from "../../shared/errors.ts";

const MAX_DEPTH = 64;

/**
 * The JSON in a request's body; undefined for an empty one, which clients send with a JSON content type. 400 for anything
 * that is not JSON in UTF-8, for nesting deeper than 64, for a number beyond a double, and for the member `__proto__`, which
 * would change what the objects it is copied into are. Security design, T13, T14 and T23.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) {
    return undefined;
  }
  const value = parse(decode(bytes));
  checkValue(value);
  return value;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ApiError("invalidInput", "The body is not valid UTF-8", { cause });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ApiError("invalidInput", `The body is not valid JSON: ${reason}${lineAndColumn(text, reason)}`, {
      cause,
    });
  }
}

/** Newer engines say line and column themselves. */
function lineAndColumn(text: string, reason: string): string {
  const position = /at position (\d+)$/.exec(reason)?.[1];
  if (position === undefined) {
    return "";
  }
  const lines = text.slice(0, Number(position)).split("\n");
  return ` (line ${lines.length} column ${(lines.at(-1)?.length ?? 0) + 1})`;
}

function checkValue(root: unknown): void {
  const pending: { value: unknown; depth: number }[] = [{ value: root, depth: 1 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, depth } = next;
    if (typeof value === "number" && !Number.isFinite(value)) {
      throw new ApiError("invalidInput", "The body has a number that is too large to be read");
    }
    if (typeof value !== "object" || value === null) {
      continue;
    }
    if (depth > MAX_DEPTH) {
      throw new ApiError("invalidInput", `The body is nested deeper than ${MAX_DEPTH} levels`);
    }
    if (Object.hasOwn(value, "__proto__")) {
      throw new ApiError("invalidInput", 'The body has a member "__proto__", which is not accepted');
    }
    for (const member of Object.values(value)) {
      pending.push({ value: member, depth: depth + 1 });
    }
  }
}
