import { Socket } from "node:net";
import { deserialize } from "node:v8";
import { errorText } from "../../shared/error-text.ts";
import { FrameReader, toFrame } from "./frames.ts";
import { startGuard } from "./guard.ts";
import { QUESTIONS } from "./reader-descriptors.ts";

/** The sender is our own process, and what it sends was bounded when it was read. */
const LARGEST_QUESTION_BYTES = 0xff_ff_ff_ff;

/** The answer in JSON, so that the caller receives only plain data from a process that reads untrusted files. */
export type Answered = { readonly answer: unknown } | { readonly failed: string };

/** Answers the questions of `AskedProcess` in this process, one after the other, until it is ended. */
export function serveQuestions(answer: (question: unknown) => Promise<unknown>): void {
  startGuard();
  const line = new Socket({ fd: QUESTIONS });
  const frames = new FrameReader(LARGEST_QUESTION_BYTES);
  let last: Promise<void> = Promise.resolve();
  line.on("data", (piece: Buffer) => {
    for (const question of frames.take(piece)) {
      last = last.then(async () => {
        const text = await answerText(() => answer(deserialize(question)));
        for (const part of toFrame(Buffer.from(text))) line.write(part);
      });
    }
  });
  line.on("error", () => process.exit(1)).on("close", () => process.exit(0));
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
