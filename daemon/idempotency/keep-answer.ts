import type { IdempotencyStamp, IdempotentAnswer } from "../ledger/idempotency-record.ts";

/** What the line that makes something keeps of the answer, spread into it; nothing for a request without a key. */
export type KeepAnswer<Made> = (made: Made) => { readonly idem?: IdempotentAnswer };

export const keepNothing: KeepAnswer<unknown> = () => ({});

/** `toBody` gives the body that is sent, or what of it may be told again. */
export function keepAnswer<Made>(
  stamp: IdempotencyStamp | undefined,
  status: number,
  toBody: (made: Made) => unknown,
): KeepAnswer<Made> {
  if (stamp === undefined) return keepNothing;
  const { key, request } = stamp;
  return (made) => ({ idem: { key, request, status, body: toBody(made) } });
}
