import { z } from "zod";
import { Postings } from "../money/postings.ts";
import { IdempotentAnswer } from "../records/idempotency-record.ts";
import { RecordedAmountAboveZero } from "../money/recorded-amount.ts";

/** Money that the operator gave to or took from a workspace. `amount` in micro-dollars, above 0. */
const facts = {
  v: z.literal(1),
  at: z.string(),
  ws: z.string(),
  amount: RecordedAmountAboveZero,
  reason: z.string(),
  by: z.string(),
  led: Postings,
  idem: IdempotentAnswer.exactOptional(),
};
export const WalletCreditedLine = z.object({ t: z.literal("wallet.credited"), ...facts });
export const WalletDebitedLine = z.object({ t: z.literal("wallet.debited"), ...facts });

export const WalletLine = z.discriminatedUnion("t", [WalletCreditedLine, WalletDebitedLine]);
export type WalletLine = z.infer<typeof WalletLine>;
