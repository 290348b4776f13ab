import { memberOf } from "../../../shared/member-of.ts";
import type { ImportChoices } from "./imported-provider.ts";
import { type Members, membersOf } from "./members.ts";

export const FREE = { type: "FREE" } as const;
/** Nobody said that such calls cost nothing: whoever gives a key may bill them. */
export const MAYBE_BILLED = { type: "FREE", billedByVendor: true } as const;

/** The price of a provider whose document names none: what the person chose, else by whether calls need a key. */
export function unnamedPrice({ priceUsd }: Pick<ImportChoices, "priceUsd">, needsKey: boolean): Members {
  if (priceUsd === undefined) return needsKey ? MAYBE_BILLED : FREE;
  return priceUsd === 0 ? FREE : { type: "PER_CALL", amount: priceUsd };
}

/**
 * `imported` as it is merged into a file whose provider has a price that a person set: that is the price of whatever the
 * document puts none on, so endpoints that would get one of their own (`unnamed`) inherit it. `base`: the last import.
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
