import { isRecord } from "../../shared/is-record.ts";

/**
 * The arguments as they were meant: many models send the `input` of `run` and `quote` as JSON in a text. Anything else is
 * left to the tool's schema. Pure.
 */
export function readArguments(sent: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { input } = sent;
  if (typeof input !== "string") return sent;
  const read = parseObject(input);
  return read === undefined ? sent : { ...sent, input: read };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
