import type { RateLimit } from "../../manifest/manifest.ts";
import { parseWait, readWaitMs } from "./retry.ts";
import type { Exchange } from "../sending/send.ts";

/**
 * The maximum time for which a vendor's statement is trusted; then one call checks again, in case the quota was raised
 * meanwhile.
 */
const MAX_HOLD_MS = 3_600_000;

/**
 * How long a provider wants no further calls, by the headers that its file names; undefined when it has no objection.
 * Nothing remains when `remaining` says so, or after a 429. The duration: `after` (of a 429), `reset`, otherwise
 * `perMs`. Several limits in one header (`1, 0` with `1, 3600`) are read one by one. Source:
 * docs/manifest.md, "Rate limit".
 */
export function readHoldMs(
  answer: Pick<Exchange, "status" | "headers">,
  { headers: names, perMs }: RateLimit,
  { after, nowMs }: { readonly after: readonly string[]; readonly nowMs: number },
): number | undefined {
  if (names === undefined) return undefined;
  const isSpent = readHeader(answer, names.remaining).map((text) => /^\d+(?:\.\d+)?$/.test(text) && Number(text) < 1);
  const isRefused = answer.status === 429;
  if (!isRefused && !isSpent.includes(true)) return undefined;
  const told = isRefused ? readWaitMs(answer, after, nowMs) : undefined;
  const heldMs = told ?? readReset(answer, names.reset, { isSpent, nowMs }) ?? perMs;
  return heldMs === undefined ? undefined : Math.min(heldMs, MAX_HOLD_MS);
}

/** The longest wait of the exhausted limits; of all limits when they cannot be distinguished. */
function readReset(
  answer: Pick<Exchange, "headers">,
  name: string | undefined,
  { isSpent, nowMs }: { readonly isSpent: readonly boolean[]; readonly nowMs: number },
): number | undefined {
  if (name === undefined) return undefined;
  const told = readHeader(answer, name);
  const isPaired = told.length === isSpent.length && isSpent.includes(true);
  const waits = told
    .filter((_, index) => !isPaired || isSpent[index] === true)
    .map((text) => parseWait(name, text, nowMs))
    .filter((waitMs) => waitMs !== undefined);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

/** The values of a header, sent once or several times (RFC 9110, 5.3); an HTTP date is one value despite its comma. */
function readHeader({ headers }: Pick<Exchange, "headers">, name: string | undefined): readonly string[] {
  const header = name === undefined ? undefined : headers[name.toLowerCase()];
  const lines = typeof header === "string" ? [header] : (header ?? []);
  return lines.flatMap((line) =>
    /^\s*[A-Za-z]{3,9},/.test(line) ? [line.trim()] : line.split(",").map((part) => part.trim()),
  );
}
