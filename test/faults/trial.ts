import type { TestContext } from "vitest";

/** A row of the suite's table. */
export interface Trial {
  readonly what: string;
  /** How often it was tried. */
  readonly tried: number;
  /** What was lost, taken twice or left behind; the test has failed when there is any. */
  readonly lost: number;
  /** What the number alone does not tell. */
  readonly note?: string;
}

declare module "vitest" {
  interface TaskMeta {
    trials?: Trial[];
  }
}

/** Puts a row into the table that `table-reporter.ts` prints. */
export function reportTrial({ task }: Pick<TestContext, "task">, trial: Trial): void {
  (task.meta.trials ??= []).push(trial);
}
