const SLICE_MS = 5;

/** Work in small steps: yields its progress in percent between steps, each of which must take a few milliseconds. */
export type SlicedWork<Result> = Generator<number, Result, void>;

interface Task {
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((percent: number) => void) | undefined;
  step(): IteratorResult<number, unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * Runs long computations inside the daemon's own event loop without holding it up.
 *
 * One slice of about 5 ms per turn of the loop, whatever the number of tasks, in rotation; requests are answered in
 * between. `close` rejects what is unfinished.
 */
export class Slices {
  private readonly tasks: Task[] = [];
  private next: NodeJS.Immediate | undefined;
  private closed = false;

  /** Resolves with the result of the work; rejects with its error, or with the signal's reason when aborted. */
  run<Result>(
    work: SlicedWork<Result>,
    { signal, onProgress }: { signal?: AbortSignal; onProgress?: (percent: number) => void } = {},
  ): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      if (this.closed) {
        reject(new Error("atlas is closing."));
        return;
      }
      this.tasks.push({
        signal,
        onProgress,
        step: () => work.next(),
        resolve: (value) => resolve(value as Result),
        reject,
      });
      this.schedule();
    });
  }

  close(): void {
    this.closed = true;
    if (this.next !== undefined) clearImmediate(this.next);
    for (const task of this.tasks.splice(0)) task.reject(new Error("atlas is closing."));
  }

  private schedule(): void {
    if (this.next !== undefined || this.tasks.length === 0) return;
    this.next = setImmediate(() => {
      this.next = undefined;
      const task = this.tasks.shift();
      if (task !== undefined && !runSlice(task)) this.tasks.push(task);
      this.schedule();
    });
  }
}

/** Runs one task for one slice; true when it has ended, successfully or not. */
function runSlice(task: Task): boolean {
  const endMs = performance.now() + SLICE_MS;
  try {
    do {
      task.signal?.throwIfAborted();
      const step = task.step();
      if (step.done === true) {
        task.resolve(step.value);
        return true;
      }
      task.onProgress?.(step.value);
    } while (performance.now() < endMs);
    return false;
  } catch (error) {
    task.reject(error);
    return true;
  }
}
