import type { Money as Amount } from "../../shared/contract/common.ts";
import type { MicroDollars } from "../../shared/micro-dollars.ts";
import { moneyText, toMicros } from "../words/amounts.ts";

type MoneyProps = { readonly amount: Amount | undefined } | { readonly micros: MicroDollars };

/** An amount with all its digits, in figures of equal width; a dash where there is none. */
export function Money(props: MoneyProps) {
  const micros = "micros" in props ? props.micros : props.amount && toMicros(props.amount);
  if (micros === undefined) return <span class="muted">–</span>;
  return <span class={micros < 0 ? "money negative" : "money"}>{moneyText(micros)}</span>;
}
