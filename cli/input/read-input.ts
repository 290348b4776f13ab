import { readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { errorText } from "../../shared/error-text.ts";
import { isRecord } from "../../shared/is-record.ts";
import { refusedInput } from "../core/cli-error.ts";
import type { CliIo } from "../core/cli-io.ts";
import { parseGivenJson } from "./parse-given-json.ts";

/**
 * The value of `-i`: JSON itself, `@file`, or `-` for standard input, which nothing else reads. Rejects with refused
 * input when it cannot be read or is not a JSON object.
 */
export async function readInput(argument: string, io: Pick<CliIo, "stdin">): Promise<Record<string, unknown>> {
  const { text, place } = await readText(argument, io);
  let value: unknown;
  try {
    value = parseGivenJson(text, `The input from ${place}`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const why = text.trim() === "" ? "it is empty" : error.message;
    throw refusedInput(`The input from ${place} must be a JSON object, but it cannot be read: ${why}`);
  }
  if (isRecord(value)) return value;
  throw refusedInput(
    `The input from ${place} must be a JSON object such as {"city": "Oslo"}, but ${nameOf(value)} came.`,
  );
}

async function readText(argument: string, io: Pick<CliIo, "stdin">): Promise<{ text: string; place: string }> {
  if (argument === "-") return { text: await readAll(io.stdin), place: "standard input" };
  if (!argument.startsWith("@")) return { text: argument, place: "-i" };
  const path = argument.slice(1);
  try {
    return { text: await readFile(path, "utf8"), place: path };
  } catch (error) {
    throw refusedInput(`The input file ${path} cannot be read: ${errorText(error)}`);
  }
}

/** Reads everything up to the end of the stream. */
export async function readAll(stdin: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array | string));
  return Buffer.concat(chunks).toString("utf8");
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}
