declare const kind: unique symbol;

/**
 * An id of one kind: a text like any other at run time, and where it comes from outside. Two kinds never fit each other, so that
 * the compiler refuses a run's id where a workspace's is wanted.
 */
type IdOf<Kind extends string> = string & { readonly [kind]?: Kind };

export type RunId = IdOf<"run">;
export type WorkspaceId = IdOf<"workspace">;
export type UserId = IdOf<"user">;
