import { memberOf } from "../../../shared/member-of.ts";
import type { ImportChoices } from "./imported-provider.ts";
import { type Members, membersOf } from "./members.ts";

export const FREE = { type: "FREE" } as const;
/** Nothing says that such calls are free: a provider that gives out keys may bill for them. */
export const MAYBE_BILLED = { type: "FREE", billedByVendor: true } as const;

/** The price of a provider whose document gives none: the person's choice, otherwise by whether calls need a key. */
export function unnamedPrice({ priceUsd }: Pick<ImportChoices, "priceUsd">, needsKey: boolean): Members {
  if (priceUsd === undefined) return needsKey ? MAYBE_BILLED : FREE;
  return priceUsd === 0 ? FREE : { type: "PER_CALL", amount: priceUsd };
}

/**
 * `imported` as it is merged into a file in which a person has set the provider's price. That price then applies
 * wherever the document gives none, so endpoints that would get their own default (`unnamed`) inherit it. `base`: the
 * last import.
 */
export function underOwnersPrice<Imported extends Members & { readonly endpoints: Readonly<Record<string, Members>> }>(
  imported: Imported,
  { base, mine, unnamed }: { readonly base: Members; readonly mine: Members; readonly unnamed: readonly string[] },
): Imported {
  const [before, now] = [base, mine].map((manifest) => JSON.stringify(membersOf(memberOf(manifest, "price"))));
  if (before === now) return imported;
  const endpoints: Record<string, Members> = { ...imported.endpoints };
  for (const path of unnamed) {
    const { price, ...inheriting } = endpoints[path] ?? {};
    const hadOwn = memberOf(memberOf(memberOf(base, "endpoints"), path), "price") !== undefined;
    if (price !== undefined && !hadOwn) endpoints[path] = inheriting;
  }
  return { ...imported, endpoints };
}
