import type { Operation } from "../../../shared/contract/operation.ts";

/** A path's operations, and the pattern that finds them. */
interface KnownPath {
  readonly pattern: RegExp;
  readonly operations: Operation[];
}

/** Which operations a path has, whatever the method: tells a wrong method from an unknown route. */
export class RouteTable {
  readonly #paths = new Map<string, KnownPath>();

  constructor(operations: readonly Operation[]) {
    for (const operation of operations) {
      const known = this.#paths.get(operation.path) ?? { pattern: toPattern(operation.path), operations: [] };
      known.operations.push(operation);
      this.#paths.set(operation.path, known);
    }
  }

  /** Operations at the path (without its query); none when the path is unknown. */
  operationsAt(path: string): readonly Operation[] {
    return [...this.#paths.values()].flatMap((known) => (known.pattern.test(path) ? known.operations : []));
  }
}

/** The value of the header Allow for a path with these operations. */
export function toAllow(operations: readonly Operation[]): string {
  const methods = new Set<string>(operations.map((operation) => operation.method));
  if (methods.has("GET")) {
    methods.add("HEAD");
  }
  return [...methods, "OPTIONS"].join(", ");
}

/** The operation's path in the router's grammar. An endpoint's path may contain slashes: it takes all that is left. */
export function toRouterPath(path: string): string {
  return path.replace(/\{endpoint\}$/, "*").replaceAll(/\{(\w+)\}/g, ":$1");
}

function toPattern(path: string): RegExp {
  const parts = path.split(/(\{\w+\})/).map((part) => {
    if (!part.startsWith("{")) {
      return part.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&");
    }
    return part === "{endpoint}" ? ".+" : "[^/]+";
  });
  return new RegExp(`^${parts.join("")}$`);
}
