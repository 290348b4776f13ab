import type { z } from "zod";
import type { Scope } from "./scopes.ts";

export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Where an operation comes from: the specification and its reference client, the rest of the published contract, its later periphery, or this project. */
export type OperationTier = "core" | "contract" | "extended" | "mkt";

/**
 * Who may call: nobody in particular, a credential, a credential with a workspace,
 * or a credential with the operator grant (everyone else is answered 404). docs/contract.md, "Credentials", "Workspaces" and
 * "Operator".
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
  /** The grant an API key needs; absent when any credential will do. */
  readonly scope?: Scope;
  /** With this grant alone a key gets at what it made itself. */
  readonly ownScope?: Scope;
  /** Answers whatever workspace was named with it: it tells which there are. */
  readonly anyWorkspace?: true;
  /**
   * What it takes of the service, where that is not as usual: a search goes through the whole catalog, waits for its turn and
   * is refused early where there is too much to do, a run late, and what is vital never.
   */
  readonly load?: "search" | "run" | "vital";
  /** Makes something at most once for an Idempotency-Key; 409 and 422 come with it. docs/contract.md, "Idempotency". */
  readonly idempotent?: true;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly responses: { readonly [status: number]: z.ZodType | null };
  /** Media types of the 2xx answer where that is text sent piece by piece, and no JSON. */
  readonly streams?: readonly string[];
  readonly errors?: readonly number[];
}

/** Returns the operation unchanged, with its literal types kept. */
export function defineOperation<const Op extends Operation>(operation: Op): Op {
  return operation;
}

/**
 * What the server says of any request, whatever it asks for: 400 for a head or a body that is not valid, 403 for a Host or an
 * Origin that may not, 415 for a body that is not plain JSON, 429, 431 for a head that is too large, 500, and 503 while it
 * shuts down or has too much to do.
 */
const ofEveryRequest = [400, 403, 415, 429, 431, 500, 503];
/** Of one that may have a body, or change something: 408 for what came too slowly, 413, and 507 while the disk is full. */
const ofEveryChange = [408, 413, 507];

/** Statuses answered with the plain error body, in ascending order. */
export function errorStatuses(operation: Operation): number[] {
  const byMethod = operation.method === "GET" ? [] : ofEveryChange;
  const byAuth = operation.auth === "none" ? [] : operation.auth === "operator" ? [404] : [401];
  const byKey = operation.idempotent === true ? [409, 422] : [];
  const statuses = new Set([...ofEveryRequest, ...byMethod, ...byAuth, ...byKey, ...(operation.errors ?? [])]);
  return [...statuses].filter((status) => !(status in operation.responses)).sort((a, b) => a - b);
}

type Part = "params" | "query" | "headers" | "body";
type Simplify<T> = { [K in keyof T]: T[K] };
type SchemaOf<Op, P extends Part> = Op extends { readonly [K in P]: infer S extends z.ZodType } ? S : never;
type InputPart<Op, P extends Part> = [SchemaOf<Op, P>] extends [never]
  ? unknown
  : Partial<Record<string, never>> extends z.input<SchemaOf<Op, P>>
    ? { [K in P]?: z.input<SchemaOf<Op, P>> }
    : { [K in P]: z.input<SchemaOf<Op, P>> };

/** What a caller gives: only the parts that the operation has; a part whose members are all optional may be left out. */
export type OperationInput<Op extends Operation> = Simplify<
  InputPart<Op, "params"> & InputPart<Op, "query"> & InputPart<Op, "headers"> & InputPart<Op, "body">
>;

type BodyOf<S> = S extends z.ZodType ? z.output<S> : undefined;

type OperationStatus<Op extends Operation> = Extract<keyof Op["responses"], number>;

/** The 2xx bodies, as a union. */
export type OperationAnswer<Op extends Operation> = {
  [S in OperationStatus<Op>]: `${S}` extends `2${string}` ? BodyOf<Op["responses"][S]> : never;
}[OperationStatus<Op>];
