import type { CliIo } from "./cli-io.ts";

/** The reason of a signal that Ctrl-C aborted. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** Runs the task with a signal that the first Ctrl-C aborts; the second ends the process at once. */
export async function interruptible<Result>(
  io: CliIo,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const release = io.onInterrupt(() => controller.abort(new Interrupted("Interrupted")));
  try {
    return await task(controller.signal);
  } finally {
    release();
  }
}
