import type { z } from "zod";
import type { Scope } from "./scopes.ts";

export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * The origin of an operation: the specification and its reference client, the rest of the published contract, its later
 * extensions, or this project.
 */
export type OperationTier = "core" | "contract" | "extended" | "mkt";

/**
 * Who may call: anybody, a credential, a credential with a workspace, or a credential with the operator grant (everyone
 * else gets 404). docs/contract.md, "Credentials", "Workspaces" and "Operator".
 */
export type OperationAuth = "none" | "user" | "workspace" | "operator";

/**
 * One HTTP operation as a value: server, typed client, CLI and OpenAPI document all read it.
 *
 * `responses` holds every answer with a body of its own by status, `null` meaning no body. Statuses answered
 * with the plain error body stand in `errors`; those that the server itself gives before or around any operation, and those
 * that follow from `auth` and `idempotent`, are added by {@link errorStatuses} and need not be listed.
 */
export interface Operation {
  readonly operationId: string;
  readonly method: HttpMethod;
  /** With `{name}` for path parameters; each name is a member of `params`. */
  readonly path: string;
  readonly tier: OperationTier;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly auth: OperationAuth;
  /** The scope that an API key needs; absent when any credential is enough. */
  readonly scope?: Scope;
  /** With only this scope, a key can access what it created itself. */
  readonly ownScope?: Scope;
  /** Ignores the named workspace, because it lists the available ones. */
  readonly anyWorkspace?: true;
  /**
   * Its load on the service, if it is special: a search reads the whole catalog, waits in a queue and is refused early
   * under load, a run late, and a vital operation never.
   */
  readonly load?: "search" | "run" | "vital";
  /** Creates something at most once for an Idempotency-Key; implies 409 and 422. docs/contract.md, "Idempotency". */
  readonly idempotent?: true;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly responses: { readonly [status: number]: z.ZodType | null };
  /** Media types of the 2xx answer if it is streamed text and not JSON. */
  readonly streams?: readonly string[];
  readonly errors?: readonly number[];
}

/** Returns the operation unchanged, with its literal types. */
export function defineOperation<const Op extends Operation>(operation: Op): Op {
  return operation;
}

/**
 * Errors that the server may return for any request: 400 for an invalid head or body, 403 for a Host or an Origin that
 * is not allowed, 415 for a body that is not plain JSON, 429, 431 for a head that is too large, 500, and 503 while it
 * shuts down or is overloaded.
 */
const ofEveryRequest = [400, 403, 415, 429, 431, 500, 503];
/**
 * For operations that may have a body, or change something: 408 for a request that arrives too slowly, 413, and 507
 * while the disk is full.
 */
const ofEveryChange = [408, 413, 507];

/** Statuses with the plain error body, in ascending order. */
export function errorStatuses(operation: Operation): number[] {
  const byMethod = operation.method === "GET" ? [] : ofEveryChange;
  const byAuth = statusesOfAuth(operation);
  const byKey = operation.idempotent === true ? [409, 422] : [];
  const statuses = new Set([...ofEveryRequest, ...byMethod, ...byAuth, ...byKey, ...(operation.errors ?? [])]);
  return [...statuses].filter((status) => !(status in operation.responses)).sort((a, b) => a - b);
}

/** An operator may name any workspace, so one that does not exist is a 404. docs/contract.md, "Workspaces". */
function statusesOfAuth({ auth, anyWorkspace }: Operation): number[] {
  if (auth === "none") return [];
  if (auth === "operator") return [404];
  return anyWorkspace === true ? [401] : [401, 404];
}

type Part = "params" | "query" | "headers" | "body";
type Simplify<T> = { [K in keyof T]: T[K] };
type SchemaOf<Op, P extends Part> = Op extends { readonly [K in P]: infer S extends z.ZodType } ? S : never;
type InputPart<Op, P extends Part> = [SchemaOf<Op, P>] extends [never]
  ? unknown
  : Partial<Record<string, never>> extends z.input<SchemaOf<Op, P>>
    ? { [K in P]?: z.input<SchemaOf<Op, P>> }
    : { [K in P]: z.input<SchemaOf<Op, P>> };

/** The caller's input: only the parts that the operation has; a part with only optional members may be left out. */
export type OperationInput<Op extends Operation> = Simplify<
  InputPart<Op, "params"> & InputPart<Op, "query"> & InputPart<Op, "headers"> & InputPart<Op, "body">
>;

type BodyOf<S> = S extends z.ZodType ? z.output<S> : undefined;

type OperationStatus<Op extends Operation> = Extract<keyof Op["responses"], number>;

/** The 2xx bodies, as a union. */
export type OperationAnswer<Op extends Operation> = {
  [S in OperationStatus<Op>]: `${S}` extends `2${string}` ? BodyOf<Op["responses"][S]> : never;
}[OperationStatus<Op>];
