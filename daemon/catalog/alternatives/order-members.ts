import type { Alternatives } from "../entries/catalog-entry.ts";

/** A member that may be tried, with the figures that it may be sorted by. */
export interface RankedMember {
  /** `provider/path`. */
  readonly name: string;
  /** What the run is likely to cost there, in any unit; undefined when nothing is known. */
  readonly price?: number | undefined;
  /** Milliseconds in which half of its runs ended. */
  readonly latency?: number | undefined;
  /** Share of its runs that were no errors. */
  readonly success?: number | undefined;
}

/**
 * The members in the order in which they are tried: those that `order` names, then the others as `sort` says. A member of
 * which nothing is known comes after those with a figure, and what is equal keeps the order of the file.
 * docs/routes.md, "Which one is tried first".
 */
export function orderMembers<Member extends RankedMember>(
  members: readonly Member[],
  { order, sort }: Pick<Alternatives, "order" | "sort">,
): readonly Member[] {
  const named = order.flatMap((name) => members.find((member) => member.name === name) ?? []);
  const others = members.filter(({ name }) => !order.includes(name));
  return [...named, ...(sort === undefined ? others : sorted(others, sort))];
}

function sorted<Member extends RankedMember>(members: readonly Member[], sort: NonNullable<Alternatives["sort"]>) {
  const rank = (member: Member) => {
    const figure = member[sort];
    if (figure === undefined) return Infinity;
    return sort === "success" ? -figure : figure;
  };
  // Array.prototype.sort is stable; the difference of two infinities would be no number.
  return [...members].sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
}

/** Why a member stands where it does, for whoever inspects a route. */
export function whyThere(
  { name, latency, success }: RankedMember,
  { order, sort }: Pick<Alternatives, "order" | "sort">,
): string {
  if (order.includes(name)) return "named by the route's order";
  if (sort === "price") return "sorted by price, the cheapest first";
  if (sort === "latency") {
    return latency === undefined ? "sorted by latency: none is known" : `sorted by latency: half within ${latency} ms`;
  }
  if (sort === "success") {
    const share =
      success === undefined ? "none of its runs is known" : `${Math.round(success * 1_000) / 10} % of its runs`;
    return `sorted by success: ${share}`;
  }
  return "in the order of the route's file";
}
