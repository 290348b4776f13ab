import { z } from "zod";
import { DateTime, slugPattern } from "./common.ts";
import { Hints } from "./hints.ts";
import { KeySpending, SpendLimit } from "./key-limits.ts";
import { defineOperation } from "./operation.ts";
import { operationPaths } from "./operation-paths.ts";
import { KeyRole } from "./roles.ts";
import { Scope } from "./scopes.ts";

const Metadata = z.record(z.string(), z.unknown());

export const AuthUser = z
  .object({
    userId: z.string().min(1),
    username: z.string(),
    email: z.string().optional(),
    metadata: Metadata,
    createdAt: DateTime,
    updatedAt: DateTime,
  })
  .meta({ id: "AuthUser" });
export type AuthUser = z.infer<typeof AuthUser>;

export const AuthWorkspace = z
  .object({
    workspaceId: z.string().min(1),
    name: z.string(),
    slug: z.string(),
    metadata: Metadata,
    createdAt: DateTime,
    updatedAt: DateTime,
  })
  .meta({ id: "AuthWorkspace" });
export type AuthWorkspace = z.infer<typeof AuthWorkspace>;

export const WorkspaceListItem = z
  .object({ workspaceId: z.string().min(1), slug: z.string().nullable() })
  .meta({ id: "WorkspaceListItem" });
export type WorkspaceListItem = z.infer<typeof WorkspaceListItem>;

export const WorkspaceListResponse = z
  .object({ workspaces: z.array(WorkspaceListItem) })
  .meta({ id: "WorkspaceListResponse" });
export type WorkspaceListResponse = z.infer<typeof WorkspaceListResponse>;

/** The operator grant; present only for its holders. docs/contract.md, "Operator". */
export const OperatorGrant = z.literal(true).optional().meta({ description: "Holds the operator grant." });

export const AuthCredential = z
  .object({
    kind: z
      .enum(["session", "api_key"])
      .meta({ description: "How the caller was authenticated (a JWT is a session)." }),
    scopes: z
      .array(Scope)
      .meta({ description: "Grants held; also the ceiling for any key minted with this credential." }),
    defaultScopes: z.array(Scope).meta({ description: "Grants a minted key receives when none are named." }),
    fingerprint: z.string().optional().meta({ description: "API keys only." }),
    expiresAt: DateTime.optional().meta({
      description: "Absent when the credential never expires, and for sessions.",
    }),
    operator: OperatorGrant,
    label: z.string().optional().meta({ description: "API keys only." }),
    role: KeyRole.optional().meta({ description: "Absent for a key that was created with scopes only." }),
    spendLimit: SpendLimit.optional(),
    spending: KeySpending.optional().meta({ description: "With a spendLimit only." }),
  })
  .meta({ id: "AuthCredential" });
export type AuthCredential = z.infer<typeof AuthCredential>;

export const IdentitySummary = z
  .object({
    provider: z.string().regex(slugPattern),
    verified: z.boolean(),
    linkedAt: DateTime,
    lastVerifiedAt: DateTime.optional(),
  })
  .meta({ id: "IdentitySummary" });
export type IdentitySummary = z.infer<typeof IdentitySummary>;

export const IdentityProviderAvailability = z
  .object({ key: z.string().regex(slugPattern), enabled: z.boolean() })
  .meta({ id: "IdentityProviderAvailability" });
export type IdentityProviderAvailability = z.infer<typeof IdentityProviderAvailability>;

export const WhoamiResponse = z
  .object({
    user: AuthUser,
    workspace: AuthWorkspace.optional().meta({ description: "Left out when the caller belongs to no workspace." }),
    credential: AuthCredential.optional(),
    identities: z.array(IdentitySummary).optional(),
    identityProviders: z.array(IdentityProviderAvailability).optional(),
    hints: Hints.optional(),
  })
  .meta({ id: "WhoamiResponse" });
export type WhoamiResponse = z.infer<typeof WhoamiResponse>;

/** Who is in the workspace. docs/contract.md, "Workspaces". */
export const Person = z
  .object({ userId: z.string().min(1), username: z.string(), createdAt: DateTime })
  .meta({ id: "Person" });
export type Person = z.infer<typeof Person>;

export const PersonList = z.object({ items: z.array(Person) }).meta({ id: "PersonList" });
export type PersonList = z.infer<typeof PersonList>;

export const identityOperations = {
  whoami: defineOperation({
    ...operationPaths.whoami,
    tier: "core",
    tag: "Auth",
    summary: "Who is calling",
    auth: "user",
    responses: { 200: WhoamiResponse },
  }),
  listWorkspaces: defineOperation({
    ...operationPaths.listWorkspaces,
    tier: "core",
    tag: "Auth",
    summary: "Workspaces of the caller",
    auth: "user",
    anyWorkspace: true,
    responses: { 200: WorkspaceListResponse },
  }),
  listPeople: defineOperation({
    ...operationPaths.listPeople,
    tier: "mkt",
    tag: "Auth",
    summary: "People of the workspace, first come first",
    description: "For whoever may read its keys.",
    auth: "workspace",
    scope: "api_keys:read",
    responses: { 200: PersonList },
  }),
};
