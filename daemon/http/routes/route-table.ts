import createRouter from "find-my-way";
import type { Operation } from "../../../shared/contract/operation.ts";

/** A request's operation, and the parts of its path by the names of the contract, decoded. */
export interface RouteMatch {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
}

/** A path's operations, and the pattern that finds them. */
interface KnownPath {
  readonly pattern: RegExp;
  readonly operations: Operation[];
}

/** Longer than the head of a request may be. */
const MAX_PARAM_LENGTH = 16 * 1024;

/** Which operation a request asks for. It knows no handlers, so that servers can share the contract's table. */
export class RouteTable {
  readonly #router = createRouter({ maxParamLength: MAX_PARAM_LENGTH, querystringParser: noQuery });
  readonly #paths = new Map<string, KnownPath>();

  constructor(operations: readonly Operation[]) {
    for (const operation of operations) {
      this.#router.on(operation.method, toRouterPath(operation.path), neverCalled, operation);
      const known = this.#paths.get(operation.path) ?? { pattern: toPattern(operation.path), operations: [] };
      known.operations.push(operation);
      this.#paths.set(operation.path, known);
    }
  }

  /** The operation for a method and the target of a request; undefined where none has both. HEAD is asked for as GET. */
  match(method: string, target: string): RouteMatch | undefined {
    const found = this.#router.find((method === "HEAD" ? "GET" : method) as Operation["method"], target);
    if (found === null) return undefined;
    return { operation: found.store as Operation, params: toContractParams(found.params) };
  }

  /** Operations at the path (without its query), whatever the method: tells a wrong method from an unknown path. */
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
function toRouterPath(path: string): string {
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

/** The router calls the rest of a path `*`; contracts call it `endpoint`. */
function toContractParams(params: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const all = params as Readonly<Record<string, string>>;
  if (all["*"] === undefined) return all;
  const { "*": rest, ...named } = all;
  return { ...named, endpoint: rest };
}

/** Queries are read by their operation. */
function noQuery(): object {
  return {};
}

function neverCalled(): never {
  throw new Error("the router only finds operations");
}
