import type { TestContext } from "vitest";
import { reportTrial } from "../faults/trial.ts";

/** Tells `npm run test:security` how often a test tried something; what got through has failed the test by then. */
export function tried(context: Pick<TestContext, "task">, times: number, what: string): void {
  reportTrial(context, { what, tried: times, lost: 0 });
}
