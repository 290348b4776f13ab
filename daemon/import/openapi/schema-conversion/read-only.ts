import { listOf, memberOf, textOf } from "../../conversion/members.ts";
import type { Located, ReferenceResolver } from "../document/reference-resolver.ts";
import { MAX_BRANCHES } from "./parts.ts";

/** References and parts of parts that are looked through. */
const MAX_DEPTH = 3;

/** Whether only answers have it: as it says itself, behind its reference, or in a part that it is made of. */
export function isReadOnly({ value, file }: Located, resolver: ReferenceResolver, depth = 0): boolean {
  if (memberOf(value, "readOnly") === true) return true;
  if (depth > MAX_DEPTH) return false;
  if (textOf(value, "$ref") !== undefined) {
    const target = followLoosely({ value, file }, resolver);
    return target !== undefined && isReadOnly(target, resolver, depth + 1);
  }
  return listOf(value, "allOf")
    .slice(0, MAX_BRANCHES)
    .some((part) => isReadOnly({ value: part, file }, resolver, depth + 1));
}

/** One that leads nowhere is told where its schema is converted. */
function followLoosely(located: Located, resolver: ReferenceResolver): Located | undefined {
  try {
    return resolver.follow(located);
  } catch {
    return undefined;
  }
}
