import { z } from "zod";
import {
  AdminCatalog,
  AdminSettings,
  AdminUser,
  AdminWorkspace,
  AdminWorkspaceList,
  CatalogGrant,
  CatalogGrantList,
  CreateAdminApiKeyRequest,
  CreateGrantRequest,
  CreateUserRequest,
  CreateWorkspaceRequest,
  UpdateAdminSettingsRequest,
  WalletAdjustment,
  WalletAdjustmentRequest,
} from "./admin.ts";
import { CreateApiKeyResponse } from "./api-keys.ts";
import { defineOperation } from "./operation.ts";
import { operationPaths } from "./operation-paths.ts";

const WorkspaceParams = z.object({ workspaceId: z.string().min(1) });
const operator = { tier: "mkt", tag: "Admin", auth: "operator" } as const;

export const adminOperations = {
  listAdminWorkspaces: defineOperation({
    ...operationPaths.listAdminWorkspaces,
    ...operator,
    summary: "List all workspaces",
    responses: { 200: AdminWorkspaceList },
  }),
  createAdminWorkspace: defineOperation({
    ...operationPaths.createAdminWorkspace,
    ...operator,
    summary: "Create a workspace",
    body: CreateWorkspaceRequest,
    responses: { 201: AdminWorkspace },
    errors: [400, 409],
  }),
  createAdminUser: defineOperation({
    ...operationPaths.createAdminUser,
    ...operator,
    summary: "Add a user to a workspace",
    body: CreateUserRequest,
    responses: { 201: AdminUser },
    errors: [400, 409],
  }),
  createAdminApiKey: defineOperation({
    ...operationPaths.createAdminApiKey,
    ...operator,
    summary: "Create a key for a workspace",
    params: WorkspaceParams,
    body: CreateAdminApiKeyRequest,
    responses: { 201: CreateApiKeyResponse },
    errors: [400, 409],
  }),
  creditWallet: defineOperation({
    ...operationPaths.creditWallet,
    ...operator,
    summary: "Credit a workspace",
    params: WorkspaceParams,
    body: WalletAdjustmentRequest,
    responses: { 201: WalletAdjustment },
    errors: [400],
  }),
  debitWallet: defineOperation({
    ...operationPaths.debitWallet,
    ...operator,
    summary: "Debit a workspace",
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
    body: CreateGrantRequest,
    responses: { 201: CatalogGrant },
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
