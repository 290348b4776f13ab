import { z } from "zod";
import { judge, type MetControl } from "./control-records.ts";
import { RecordedAmount } from "../money/recorded-amount.ts";
import { PERIODS } from "../money/spend-windows.ts";

const id = z.string();
const period = z.enum(PERIODS);

/**
 * The controls that a run met, in the compact form of its lines: values shared by all of them, or by all budgets of one
 * period, are written once. Micro-dollars. The line alone is enough for an answer, since controls may be changed or
 * deleted later.
 */
export const MetTogether = z.object({
  required: RecordedAmount,
  /** Of each period that a budget has, before the run's own hold. */
  windows: z.partialRecord(period, z.object({ start: z.string(), spent: RecordedAmount, held: RecordedAmount })),
  /** Id, limit and, of a budget, its period; in the order of their creation. */
  each: z.array(z.union([z.tuple([id, RecordedAmount]), z.tuple([id, RecordedAmount, period])])),
});
export type MetTogether = z.infer<typeof MetTogether>;

/** The members of a run that hold the controls: `met`, or `controls` in older lines. */
export interface KeptControls {
  readonly controls?: readonly MetControl[];
  readonly met?: MetTogether;
}

/** `controls`: those that one run met at one moment, so that all budgets of a period have the same window. */
export function keepControls(controls: readonly MetControl[]): { met?: MetTogether } {
  const [first] = controls;
  if (first === undefined) return {};
  const met: MetTogether = { required: first.requiredMicroDollars, windows: {}, each: [] };
  for (const control of controls) {
    const { controlId, limitMicroDollars } = control;
    if (control.kind === "runCap") {
      met.each.push([controlId, limitMicroDollars]);
      continue;
    }
    const { windowStart: start, spentMicroDollars: spent, heldMicroDollars: held } = control;
    met.windows[control.period] = { start, spent, held };
    met.each.push([controlId, limitMicroDollars, control.period]);
  }
  return { met };
}

/** The inverse of `keepControls`, for lines of every version. */
export function controlsOf({ controls, met }: KeptControls): readonly MetControl[] {
  if (met === undefined) return controls ?? [];
  const { required, windows, each } = met;
  return each.map(([controlId, limitMicroDollars, ofPeriod]) => {
    const control = { controlId, isBlocking: false, requiredMicroDollars: required, limitMicroDollars };
    if (ofPeriod === undefined) return judge({ kind: "runCap", ...control });
    const window = windows[ofPeriod];
    if (window === undefined) throw new Error(`a run met the budget ${controlId} in no window`);
    return judge({
      kind: "budget",
      ...control,
      period: ofPeriod,
      windowStart: window.start,
      spentMicroDollars: window.spent,
      heldMicroDollars: window.held,
    });
  });
}

/** Their ids alone, in the same order. */
export function controlIdsOf({ controls, met }: KeptControls): readonly string[] {
  return met?.each.map(([controlId]) => controlId) ?? controls?.map(({ controlId }) => controlId) ?? [];
}
