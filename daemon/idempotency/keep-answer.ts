import type { IdempotencyStamp, IdempotentAnswer } from "../ledger/records/idempotency-record.ts";

/** The members that keep the answer in the line that creates something; none for a request without a key. */
export type KeepAnswer<Made> = (made: Made) => { readonly idem?: IdempotentAnswer };

export const keepNothing: KeepAnswer<unknown> = () => ({});

/** `toBody` returns the body of the answer, or the part of it that may be repeated. */
export function keepAnswer<Made>(
  stamp: IdempotencyStamp | undefined,
  status: number,
  toBody: (made: Made) => unknown,
): KeepAnswer<Made> {
  if (stamp === undefined) return keepNothing;
  const { key, request } = stamp;
  return (made) => ({ idem: { key, request, status, body: toBody(made) } });
}
