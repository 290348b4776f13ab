import type { Operation } from "../../../shared/contract/operation.ts";
import type { Route } from "./route.ts";
import { type RouteMatch, type RouteTable, routeTableOf } from "./route-table.ts";

/** What a request asks for: a route of this server, and the parts of its path. */
export interface Asked {
  readonly route: Route;
  readonly params: RouteMatch["params"];
}

/** The routes of a server. */
export class MountedRoutes {
  readonly #routes: ReadonlyMap<Operation, Route>;
  readonly #table: RouteTable;

  constructor(routes: readonly Route[]) {
    this.#routes = new Map(routes.map((route) => [route.operation, route]));
    this.#table = routeTableOf(routes.map(({ operation }) => operation));
  }

  get methods(): Operation["method"][] {
    return [...new Set([...this.#routes.keys()].map(({ method }) => method))];
  }

  /** Undefined where no route has both the method and the path. */
  find(method: string, target: string): Asked | undefined {
    const match = this.#table.match(method, target);
    const route = match && this.#routes.get(match.operation);
    return route && { route, params: match.params };
  }

  /** As `RouteTable.operationsAt`. */
  operationsAt(path: string): readonly Operation[] {
    return this.#table.operationsAt(path);
  }
}
