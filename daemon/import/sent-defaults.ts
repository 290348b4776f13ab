import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../shared/is-record.ts";
import { type Members, membersOf } from "./conversion/members.ts";

/**
 * The number of optional defaults in a manifest that the last import wrote: earlier versions wrote a document's default
 * as one that is sent, although it only describes the vendor's behaviour. `record`: the manifest as it was imported.
 */
export function countSentDefaults(manifest: Members, record: Members): number {
  return count(manifest["endpoints"], record["endpoints"]) + count(manifest["schemas"], record["schemas"]);
}

function count(mine: unknown, imported: unknown): number {
  if (!isRecord(mine) || !isRecord(imported)) return 0;
  const required = new Set<unknown>(Array.isArray(mine["required"]) ? (mine["required"] as unknown[]) : []);
  const properties = membersOf(mine["properties"]);
  const before = membersOf(imported["properties"]);
  const own = Object.entries(properties).filter(([name, field]) => {
    const { default: value } = membersOf(field);
    return value !== undefined && !required.has(name) && isDeepStrictEqual(value, membersOf(before[name])["default"]);
  });
  return Object.entries(mine).reduce((sum, [name, member]) => sum + count(member, imported[name]), own.length);
}
