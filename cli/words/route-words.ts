import type { Quote } from "../../shared/contract/quote.ts";
import type { InspectedRoute, RouteOfRun } from "../../shared/contract/route-members.ts";
import { durationWords } from "../../shared/words/duration-words.ts";
import { dollars } from "../../shared/words/money-words.ts";
import { runPriceWords } from "../../shared/words/price-words.ts";
import { marketWords } from "./market-words.ts";
import { targetWords } from "./target.ts";

/** A line for each member of a route that was left or passed over: which one, why, and how long it took. */
export function routeLines({ route }: { readonly route?: RouteOfRun | undefined }): string[] {
  const left = (route?.attempts ?? []).filter(({ outcome }) => outcome === "left");
  return [
    ...left.map((attempt) => {
      const { reason = "", durationMs, maybeExecuted, market } = attempt;
      const doubt = maybeExecuted ? " It may have been executed all the same." : "";
      const there = market?.runId === undefined ? "" : ` Its run there: ${marketWords(market)}`;
      return `Left ${targetWords(attempt)} after ${durationWords(durationMs)}: ${reason}${doubt}${there}`;
    }),
    ...(route?.passedOver ?? []).map((member) => `Passed over ${targetWords(member)}: ${member.reason}`),
  ];
}

/** The members of a route in the order in which they would be tried, each with the most that it may cost. */
export function quotedMembers({ route }: Quote): string[] {
  if (route === undefined) return [];
  return [
    ...route.members.map((member, index) => {
      const { price, maximum } = member;
      const costs = `at most ${dollars(maximum.value)} (${runPriceWords(price, member)})`;
      return `${index + 1}. ${targetWords(member)}: ${costs}`;
    }),
    ...route.passedOver.map((member) => `passed over ${targetWords(member)}: ${member.reason}`),
  ];
}

/** A member of an inspected route, in one line: whether it would be tried now, its price, and why. */
export function memberLine(member: InspectedRoute["members"][number], position: number): string {
  const { now, price, why } = member;
  const amount = price === undefined ? "" : `, ${runPriceWords(price, member)}`;
  const place = now === "passedOver" ? "passed over" : `${position}.`;
  return `${place} ${targetWords(member)}${amount}: ${why}`;
}
