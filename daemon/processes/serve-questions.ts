import { readSync, writeSync } from "node:fs";
import { deserialize } from "node:v8";
import { errorText } from "../../shared/error-text.ts";
import { FrameReader, toFrame } from "./frames.ts";
import { startGuard } from "./guard.ts";
import { QUESTIONS } from "./reader-descriptors.ts";

/** The sender is our own process, and what it sends was bounded when it was read. */
const LARGEST_QUESTION_BYTES = 0xff_ff_ff_ff;
const BYTES_AT_ONCE = 1024 * 1024;

/** The answer in JSON, so that the caller receives only plain data from a process that reads untrusted files. */
export type Answered = { readonly answer: unknown } | { readonly failed: string };

/**
 * Answers the questions of `AskedProcess` in this process, one after the other, until it is ended. Read and written as a file: a
 * socket is not for a process without a network, even over a descriptor that it was given (Node 25 and later). While it waits
 * for a question there is nothing else to do here, and a read that waits in another thread would hold the end of the process up.
 */
export async function serveQuestions(answer: (question: unknown) => Promise<unknown>): Promise<never> {
  startGuard();
  const frames = new FrameReader(LARGEST_QUESTION_BYTES);
  const piece = Buffer.allocUnsafeSlow(BYTES_AT_ONCE);
  for (;;) {
    const bytes = readSync(QUESTIONS, piece);
    if (bytes === 0) process.exit(0);
    for (const question of frames.take(Buffer.from(piece.subarray(0, bytes)))) {
      const text = await answerText(() => answer(deserialize(question)));
      for (const part of toFrame(Buffer.from(text))) writeWhole(part);
    }
  }
}

function writeWhole(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(QUESTIONS, bytes, at);
}

async function answerText(ask: () => Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify({ answer: await ask() } satisfies Answered);
  } catch (error) {
    return JSON.stringify({ failed: wordsOf(error) } satisfies Answered);
  }
}

/** V8's own messages mean little to the author of the document. */
function wordsOf(error: unknown): string {
  const words = errorText(error);
  if (!(error instanceof RangeError)) return words;
  if (words.includes("string length")) return "its content is too large once it is expanded";
  return words.includes("call stack") ? "it nests too deep" : words;
}
