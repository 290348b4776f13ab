import type { WorkspaceId } from "../../base/ids.ts";
import type { Operation } from "../../../shared/contract/operation.ts";
import { grants } from "../../../shared/contract/scope-grants.ts";
import { ApiError } from "../../../shared/errors.ts";
import type { Caller } from "./caller.ts";

/** What a request says about its sender. */
export interface Credentials {
  readonly authorization: string | undefined;
  /** `x-workspace-id`: chooses the workspace for credentials that name none, and for operators. */
  readonly workspaceId: WorkspaceId | undefined;
  /** True for our own clients, which name a workspace on purpose. docs/contract.md, "Workspaces". */
  readonly isOwnClient: boolean;
  /** The address that the request came from; absent when its connection has gone. */
  readonly source?: string | undefined;
}

/** The only way to a caller. Throws the same unauthorized error whatever is wrong with the credentials. */
export type Authenticate = (credentials: Credentials) => Promise<Caller>;

/**
 * Returns the caller of an operation after checking what the operation requires: credentials (401), then workspace and
 * scope (403). To a caller without the operator grant, `unknownRoute` answers that an operator's route does not exist.
 * docs/contract.md, "Credentials", "Scopes" and "Operator".
 */
export async function admit(
  operation: Operation,
  authenticate: () => Promise<Caller>,
  unknownRoute: () => ApiError,
): Promise<Caller | undefined> {
  if (operation.auth === "none") {
    return undefined;
  }
  if (operation.auth === "operator") {
    const caller = await findOperator(authenticate);
    if (caller === undefined) {
      throw unknownRoute();
    }
    checkWorkspace(operation, caller);
    return caller;
  }
  const caller = await authenticate();
  checkWorkspace(operation, caller);
  if (operation.auth === "workspace" && caller.workspaceId === undefined) {
    throw new ApiError(
      "forbidden",
      "These credentials name no workspace of their user; choose one of GET /v1/auth/workspaces with the header x-workspace-id (`mkt --workspace <id>`)",
      { extra: { next: "mkt workspaces" } },
    );
  }
  if (operation.scope !== undefined && !grants(caller.scopes, operation.scope)) {
    if (caller.key !== undefined && operation.ownScope !== undefined && grants(caller.scopes, operation.ownScope)) {
      return { ...caller, ownOnly: true };
    }
    throw new ApiError(
      "forbidden",
      `This needs the scope ${operation.scope}, which the key does not have; use a key that has it`,
      { errorCode: "INSUFFICIENT_SCOPE" },
    );
  }
  return caller;
}

/** A named workspace is used or refused: another one's data is never shown, and its money never spent. */
function checkWorkspace({ anyWorkspace }: Operation, { refusedWorkspace }: Caller): void {
  if (refusedWorkspace === undefined || anyWorkspace === true) return;
  const { name, unknown } = refusedWorkspace;
  if (unknown !== undefined) {
    const message = `Workspace "${name}" not found${unknown.advice}`;
    throw new ApiError("notFound", message, { extra: { next: "mkt workspaces --all" } });
  }
  const message = `These credentials do not act in the workspace "${name}"; leave it out, or use a key of that workspace`;
  throw new ApiError("forbidden", message, {
    errorCode: "WORKSPACE_MISMATCH",
    extra: { next: "mkt workspaces" },
  });
}

/** The caller, if it has the operator grant. */
export async function findOperator(authenticate: () => Promise<Caller>): Promise<Caller | undefined> {
  try {
    const caller = await authenticate();
    return caller.operator && caller.workspaceId !== undefined ? caller : undefined;
  } catch (error) {
    if (error instanceof ApiError && error.kind === "unauthorized") {
      return undefined;
    }
    throw error;
  }
}
