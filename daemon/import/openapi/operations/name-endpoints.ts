import { isForbiddenKey } from "../../../catalog/parsing/catalog-text.ts";
import { METHODS, type OperationPlace } from "./api-operation.ts";
import { operationId } from "./list-operations.ts";
import { textOf } from "../../conversion/members.ts";
import type { WirePath } from "./wire-path.ts";

export interface PathToName {
  readonly place: OperationPlace;
  readonly wire: WirePath;
}

const MAX_PUBLIC_PATH = 200;
/** Paths that end with such a word are already actions: `/search/create` would mislead. */
const DOES_SOMETHING =
  /^(?:search|query|find|lookup|match|validate|verify|check|calculate|convert|translate|send|run|execute|batch|bulk|import|export|login|logout|token)/i;

/**
 * Public paths, one for each operation: the document's path made valid. If it has several methods, GET keeps it; others
 * get a word (`/pets/create`), then the fixed parts of their query, then their operationId, then a number. All
 * operations of the document are named, selected or not, so that a later import with another selection gives the same
 * names.
 */
export function nameEndpoints(paths: readonly PathToName[]): ReadonlyMap<OperationPlace, string> {
  const groups = new Map<string, PathToName[]>();
  for (const one of paths) {
    const base = publicPath(one);
    const group = groups.get(base) ?? [];
    group.push(one);
    groups.set(base, group);
  }
  const named = new Map<OperationPlace, string>();
  const taken = new Set<string>(groups.keys());
  for (const [base, group] of groups) {
    const [first, ...others] = [...group].sort((one, other) => orderOf(one) - orderOf(other));
    if (first !== undefined) named.set(first.place, base);
    for (const other of others) named.set(other.place, freshPath(base, other, first?.place.method, taken));
  }
  return named;
}

function orderOf({ place }: PathToName): number {
  return METHODS.indexOf(place.method);
}

/**
 * The path in a form that is easy to type in a command: no query, no trailing slash, no special characters of shells or
 * addresses.
 */
function publicPath({ place, wire }: PathToName): string {
  const own = textOf(place.operation, "x-mkt-path");
  const written =
    own?.startsWith("/") === true ? own : `${wire.path}${wire.fragment === "" ? "" : `/${wire.fragment}`}`;
  const segments = written
    .replaceAll("%20", "-")
    .split("/")
    .map((segment) => segment.replaceAll(/[^A-Za-z0-9_{}.~:@!$&'()*+,;=%-]+/g, "-"))
    .map((segment) => (isForbiddenKey(segment) || /^\.{1,2}$/.test(segment) ? `${segment}-` : segment));
  const path = segments
    .join("/")
    .replaceAll(/\/{2,}/g, "/")
    .replace(/\/+$/, "");
  return path === "" ? "/" : path.slice(0, MAX_PUBLIC_PATH);
}

function freshPath(base: string, { place, wire }: PathToName, winner: string | undefined, taken: Set<string>): string {
  const stem = base === "/" ? "" : base;
  const fixed = wire.query.filter(([, value]) => !value.includes("{")).map(([, value]) => value);
  const candidates = [
    ...(place.method === winner ? [] : [suffixFor(place.method, base)]),
    words(fixed.join("-")),
    words(operationId(place) ?? ""),
  ];
  const free = candidates.filter((word) => word !== "").map((word) => `${stem}/${word}`);
  let path = free.find((one) => !taken.has(one));
  for (let count = 2; path === undefined; count += 1) {
    const numbered = `${stem}/${place.method.toLowerCase()}-${count}`;
    if (!taken.has(numbered)) path = numbered;
  }
  taken.add(path);
  return path;
}

function suffixFor(method: OperationPlace["method"], base: string): string {
  const last = base.slice(base.lastIndexOf("/") + 1);
  const makes = !last.startsWith("{") && !DOES_SOMETHING.test(last);
  const suffixes = {
    GET: "get",
    POST: makes ? "create" : "post",
    PUT: "replace",
    PATCH: "update",
    DELETE: "delete",
    HEAD: "head",
  };
  return suffixes[method];
}

/** `getPetById` and `pets/list_all` → `get-pet-by-id`, `pets-list-all`. */
export function words(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll(/[^A-Za-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .toLowerCase()
    .slice(0, 60);
}
