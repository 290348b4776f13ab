import { z } from "zod";

/** The grants of an API key: `resource:action`, `resource:*` or `*`. docs/contract.md, "Scopes". */
export const Scope = z
  .enum([
    "*",
    "runs:*",
    "resources:*",
    "wallet:*",
    "topups:*",
    "controls:*",
    "api_keys:*",
    "runs:create",
    "runs:read",
    "runs:update",
    "resources:read",
    "resources:create",
    "resources:update",
    "resources:delete",
    "wallet:read",
    "wallet:update",
    "topups:create",
    "controls:read",
    "controls:create",
    "controls:update",
    "controls:delete",
    "api_keys:read",
    "api_keys:create",
    "api_keys:update",
    "api_keys:delete",
  ])
  .meta({ id: "Scope" });
export type Scope = z.infer<typeof Scope>;

const ScopeAction = z.object({ key: z.enum(["read", "create", "update", "delete"]), description: z.string() });

const ScopeResource = z.object({
  key: z.enum(["runs", "resources", "wallet", "topups", "controls", "api_keys"]),
  label: z.string(),
  description: z.string(),
  actions: z.array(ScopeAction),
});

/** Every grantable pair, with descriptions for people. */
export const ScopeCatalog = z.object({ resources: z.array(ScopeResource) }).meta({ id: "ScopeCatalog" });
export type ScopeCatalog = z.infer<typeof ScopeCatalog>;
