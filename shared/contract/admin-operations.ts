import { z } from "zod";
import {
  AdminCatalog,
  AdminSecret,
  AdminSecretList,
  AdminSettings,
  AdminUser,
  AdminWorkspace,
  AdminWorkspaceList,
  BackupReport,
  BackupRequest,
  CatalogGrant,
  CatalogGrantList,
  CreateAdminApiKeyRequest,
  CreateGrantRequest,
  CreateUserRequest,
  CreateWorkspaceRequest,
  PutSecretRequest,
  UpdateAdminSettingsRequest,
  WalletAdjustment,
  WalletAdjustmentRequest,
} from "./admin.ts";
import { CreateApiKeyResponse } from "./api-keys.ts";
import { defineOperation } from "./operation.ts";
import { operationPaths } from "./operation-paths.ts";

const WorkspaceParams = z.object({ workspaceId: z.string().min(1) });
const SecretParams = z.object({
  name: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{0,127}$/, "must be the name of an environment variable, such as ACME_API_KEY"),
});
const operator = { tier: "mkt", tag: "Admin", auth: "operator" } as const;

export const adminOperations = {
  listAdminWorkspaces: defineOperation({
    ...operationPaths.listAdminWorkspaces,
    ...operator,
    summary: "List all workspaces",
    anyWorkspace: true,
    responses: { 200: AdminWorkspaceList },
  }),
  createAdminWorkspace: defineOperation({
    ...operationPaths.createAdminWorkspace,
    ...operator,
    summary: "Create a workspace",
    idempotent: true,
    body: CreateWorkspaceRequest,
    responses: { 201: AdminWorkspace },
    errors: [400, 409],
  }),
  createAdminUser: defineOperation({
    ...operationPaths.createAdminUser,
    ...operator,
    summary: "Add a user to a workspace",
    idempotent: true,
    body: CreateUserRequest,
    responses: { 201: AdminUser },
    errors: [400, 409],
  }),
  createAdminApiKey: defineOperation({
    ...operationPaths.createAdminApiKey,
    ...operator,
    summary: "Create a key for a workspace",
    idempotent: true,
    params: WorkspaceParams,
    body: CreateAdminApiKeyRequest,
    responses: { 201: CreateApiKeyResponse },
    errors: [400, 409],
  }),
  creditWallet: defineOperation({
    ...operationPaths.creditWallet,
    ...operator,
    summary: "Credit a workspace",
    idempotent: true,
    params: WorkspaceParams,
    body: WalletAdjustmentRequest,
    responses: { 201: WalletAdjustment },
    errors: [400],
  }),
  debitWallet: defineOperation({
    ...operationPaths.debitWallet,
    ...operator,
    summary: "Debit a workspace",
    idempotent: true,
    params: WorkspaceParams,
    body: WalletAdjustmentRequest,
    responses: { 201: WalletAdjustment },
    errors: [400, 402],
  }),
  getAdminSettings: defineOperation({
    ...operationPaths.getAdminSettings,
    ...operator,
    summary: "Read the settings",
    responses: { 200: AdminSettings },
  }),
  updateAdminSettings: defineOperation({
    ...operationPaths.updateAdminSettings,
    ...operator,
    summary: "Change settings",
    body: UpdateAdminSettingsRequest,
    responses: { 200: AdminSettings },
    errors: [400],
  }),
  getAdminCatalog: defineOperation({
    ...operationPaths.getAdminCatalog,
    ...operator,
    summary: "Providers as loaded, what they lack, and files that could not be used",
    responses: { 200: AdminCatalog },
  }),
  listGrants: defineOperation({
    ...operationPaths.listGrants,
    ...operator,
    summary: "List what was granted to providers",
    responses: { 200: CatalogGrantList },
  }),
  createGrant: defineOperation({
    ...operationPaths.createGrant,
    ...operator,
    summary: "Grant a provider what its file asks for",
    description: "Takes the place of what was granted before, so that it may be sent again.",
    body: CreateGrantRequest,
    responses: { 201: CatalogGrant },
    errors: [400],
  }),
  listSecrets: defineOperation({
    ...operationPaths.listSecrets,
    ...operator,
    summary: "List the secrets that were stored, without their values",
    responses: { 200: AdminSecretList },
  }),
  putSecret: defineOperation({
    ...operationPaths.putSecret,
    ...operator,
    summary: "Store a secret in place of an environment variable",
    description: "In force at once; the daemon's environment wins. The value is never told again.",
    params: SecretParams,
    body: PutSecretRequest,
    responses: { 200: AdminSecret },
    errors: [400, 503],
  }),
  deleteSecret: defineOperation({
    ...operationPaths.deleteSecret,
    ...operator,
    summary: "Remove a stored secret",
    params: SecretParams,
    responses: { 204: null },
    errors: [400, 503],
  }),
  createBackup: defineOperation({
    ...operationPaths.createBackup,
    ...operator,
    summary: "Copy the data folder while the service runs",
    description:
      "The copy holds everything acknowledged before the request, and no secrets. A service can be started on it.",
    body: BackupRequest,
    responses: { 201: BackupReport },
    errors: [400],
  }),
  deleteGrant: defineOperation({
    ...operationPaths.deleteGrant,
    ...operator,
    summary: "Withdraw a grant",
    params: z.object({ provider: z.string().min(1) }),
    responses: { 204: null },
  }),
};
