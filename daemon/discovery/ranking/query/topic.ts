import { analyseText } from "../../../text/analyse-text.ts";

const TOPIC = /\b(?:about|on|regarding|concerning|mentioning|(?:deal|deals|dealing) with|called|named|titled)\s+(.+)/is;

/** The stems of what a query says that it is about: what a search by words would be given. Empty where it does not say. */
export function topicStems(q: string): ReadonlySet<string> {
  return new Set(analyseText(TOPIC.exec(q)?.[1] ?? ""));
}
