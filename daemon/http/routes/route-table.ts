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

/** Of every router: parts of a path may be as long as a request's head, and operations read queries themselves. */
export const ROUTER_OPTIONS = { maxParamLength: 16 * 1024, querystringParser: () => ({}) } as const;

/** Which of some operations a request asks for. It knows no handlers. */
export class RouteTable {
  readonly #operations: readonly Operation[];
  readonly #router = createRouter(ROUTER_OPTIONS);
  readonly #paths = new Map<string, KnownPath>();

  constructor(operations: readonly Operation[]) {
    this.#operations = operations;
    for (const operation of operations) {
      this.#router.on(operation.method, toRouterPath(operation.path), neverCalled, operation);
      const known = this.#paths.get(operation.path) ?? { pattern: toPattern(operation.path), operations: [] };
      known.operations.push(operation);
      this.#paths.set(operation.path, known);
    }
  }

  /** Whether it is made of these operations, in this order. */
  isOf(operations: readonly Operation[]): boolean {
    return (
      operations.length === this.#operations.length &&
      operations.every((operation, at) => operation === this.#operations[at])
    );
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

const made: RouteTable[] = [];

/** The table of these operations. They never change, so servers of the same ones share it: a process has few. */
export function routeTableOf(operations: readonly Operation[]): RouteTable {
  const known = made.find((table) => table.isOf(operations));
  if (known !== undefined) return known;
  const table = new RouteTable(operations);
  made.push(table);
  return table;
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

function neverCalled(): never {
  throw new Error("the router only finds operations");
}
