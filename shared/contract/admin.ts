import { z } from "zod";
import { CreateApiKeyRequest } from "./api-keys.ts";
import { closedObject } from "./closed-object.ts";
import { DateTime, Money, MoneyGiven } from "./common.ts";
import { PriceRule, PriceRuleMetered, PriceRulePerCall, PriceRulePerResult, PriceRulePerUnit } from "./price.ts";

/** A workspace as the operator lists it. Callers without the operator grant get 404. docs/contract.md, "Operator". */
export const AdminWorkspace = z
  .object({ workspaceId: z.string(), name: z.string(), slug: z.string() })
  .meta({ id: "AdminWorkspace" });
export type AdminWorkspace = z.infer<typeof AdminWorkspace>;

export const AdminWorkspaceList = z.object({ items: z.array(AdminWorkspace) }).meta({ id: "AdminWorkspaceList" });
export type AdminWorkspaceList = z.infer<typeof AdminWorkspaceList>;

export const CreateWorkspaceRequest = closedObject({
  name: z.string().min(1),
  slug: z.string().min(1).optional(),
}).meta({ id: "CreateWorkspaceRequest" });
export type CreateWorkspaceRequest = z.infer<typeof CreateWorkspaceRequest>;

export const AdminUser = z
  .object({ userId: z.string(), username: z.string(), email: z.string().optional(), workspaceId: z.string() })
  .meta({ id: "AdminUser" });
export type AdminUser = z.infer<typeof AdminUser>;

export const CreateUserRequest = closedObject({
  username: z.string().min(1),
  email: z.string().min(1).optional(),
  workspaceId: z.string().min(1),
}).meta({ id: "CreateUserRequest" });
export type CreateUserRequest = z.infer<typeof CreateUserRequest>;

export const CreateAdminApiKeyRequest = closedObject({
  ...CreateApiKeyRequest.shape,
  operator: z.boolean().optional().meta({
    description: "Pass on the operator grant. Scopes do not limit it: they must be absent or hold *.",
  }),
}).meta({ id: "CreateAdminApiKeyRequest" });
export type CreateAdminApiKeyRequest = z.infer<typeof CreateAdminApiKeyRequest>;

export const WalletAdjustmentRequest = closedObject({
  amount: MoneyGiven.meta({ description: "Above 0, at most 6 decimal places." }),
  reason: z.string().min(1),
}).meta({ id: "WalletAdjustmentRequest" });
export type WalletAdjustmentRequest = z.infer<typeof WalletAdjustmentRequest>;

export const WalletAdjustment = z
  .object({ workspaceId: z.string(), balance: Money, held: Money })
  .meta({ id: "WalletAdjustment" });
export type WalletAdjustment = z.infer<typeof WalletAdjustment>;

/** When an endpoint counts as healthy, degraded or in outage, and the consequences. docs/contract.md, "Health". */
export const HealthSettings = z
  .object({
    freshMinutes: z.number().min(1).max(1_440).meta({ description: "Length of the short window." }),
    outageRuns: z.int().min(2).max(20).meta({ description: "This many recent errors in a row are an outage." }),
    healthyRuns: z
      .int()
      .min(1)
      .max(20)
      .meta({ description: "Recent runs, none of them an error, that healthy needs." }),
    longDays: z.int().min(1).max(7).meta({ description: "Length of the long window." }),
    degradedRuns: z.int().min(1).meta({ description: "Runs in the long window that degraded needs." }),
    degradedShare: z.number().min(0).max(1).meta({ description: "Above this share of errors it is degraded." }),
    timedRuns: z.int().min(1).max(100).meta({ description: "Completed runs that p50 and p95 need." }),
    degradedFactor: z.number().min(0).max(1).meta({ description: "Factor for the score of degraded endpoints." }),
  })
  .meta({ id: "HealthSettings" });
export type HealthSettings = z.infer<typeof HealthSettings>;

/** At least one member. */
function isChange(change: object): boolean {
  return Object.values(change).some((value) => value !== undefined);
}

export const HealthSettingsChange = closedObject(HealthSettings.partial().shape).refine(isChange, {
  error: `name what is to change: ${Object.keys(HealthSettings.shape).join(", ")}`,
});
export type HealthSettingsChange = z.infer<typeof HealthSettingsChange>;

export const AdminSettings = z
  .object({
    mirrorProviderStatus: z
      .boolean()
      .meta({ description: "Answer a sync run with the provider's status instead of 200." }),
    discoverFloor: z.number().min(0).max(2).meta({ description: "Matches below this score are not returned." }),
    discoverPool: z.int().min(1).max(10_000).meta({ description: "Most candidates a discovery looks at." }),
    health: HealthSettings,
  })
  .meta({ id: "AdminSettings" });
export type AdminSettings = z.infer<typeof AdminSettings>;

/** Unknown members are refused, so that a misspelt setting is not silently ignored. */
export const UpdateAdminSettingsRequest = closedObject({
  ...AdminSettings.partial().shape,
  health: HealthSettingsChange.optional().meta({ description: "Only what is to change; the others stay." }),
})
  .refine(isChange, { error: `name what is to change: ${Object.keys(AdminSettings.shape).join(", ")}` })
  .meta({ id: "UpdateAdminSettingsRequest" });
export type UpdateAdminSettingsRequest = z.infer<typeof UpdateAdminSettingsRequest>;

const grantMembers = {
  origin: z.string(),
  variables: z.array(z.string()).meta({ description: "Environment variables that the provider's file may read." }),
  privateHosts: z.array(z.string()),
};

export const CatalogProviderStatus = z
  .object({
    provider: z.string(),
    displayName: z.string(),
    endpoints: z.int().min(0),
    unverified: z.int().min(0).optional().meta({
      description: "Endpoints that were written from documentation and not yet tried at the provider.",
    }),
    source: z.enum(["openapi", "mcp", "market", "utcp", "x402", "manual"]).optional().meta({
      description: "What the file was imported from; absent for one that a person wrote.",
    }),
    pricedByOwner: z
      .int()
      .min(0)
      .optional()
      .meta({ description: "Endpoints whose price the owner set; absent: none." }),
    problems: z.int().min(0).optional().meta({ description: "How many problems its file has; errors lists them." }),
    file: z.string(),
    origin: z.string(),
    available: z.boolean(),
    missingSecrets: z.array(z.object({ name: z.string(), env: z.string(), description: z.string().optional() })),
    secretVerdict: z
      .enum(["works", "failing", "unknown"])
      .optional()
      .meta({ description: "Whether its secrets work, as far as is known; absent when none is set." }),
    secretVerdictAt: DateTime.optional().meta({ description: "When that was last seen." }),
    account: z
      .enum(["connected", "notConnected"])
      .optional()
      .meta({ description: "Whether the caller's workspace can use its account; absent where no login is needed." }),
    needsGrant: z.boolean(),
    grant: z.object(grantMembers).meta({ description: "What the provider's file asks for." }),
  })
  .meta({ id: "CatalogProviderStatus" });
export type CatalogProviderStatus = z.infer<typeof CatalogProviderStatus>;

export const CatalogFileError = z
  .object({
    file: z.string(),
    path: z.string().meta({ description: "Place in the file, such as endpoints[2].price." }),
    line: z.int().min(1).optional(),
    rule: z.string(),
    message: z.string(),
  })
  .meta({ id: "CatalogFileError" });
export type CatalogFileError = z.infer<typeof CatalogFileError>;

export const ProviderNotLoaded = z
  .object({
    provider: z.string().meta({ description: "As named in its file, or the name of the file." }),
    file: z.string(),
    message: z.string().meta({ description: "The first mistake with its place: not loaded: line 12, …" }),
    problems: z.int().min(0).meta({ description: "How many mistakes there are; errors lists them." }),
  })
  .meta({ id: "ProviderNotLoaded" });
export type ProviderNotLoaded = z.infer<typeof ProviderNotLoaded>;

export const AdminCatalog = z
  .object({
    folders: z.array(z.string()),
    providers: z.array(CatalogProviderStatus),
    errors: z.array(CatalogFileError),
    notLoaded: z.array(ProviderNotLoaded).optional().meta({
      description: "Providers that are not served, because their files have mistakes.",
    }),
  })
  .meta({ id: "AdminCatalog" });
export type AdminCatalog = z.infer<typeof AdminCatalog>;

/** What an operator allowed a provider's file to use. docs/manifest.md, "Grants". */
export const CatalogGrant = z
  .object({ provider: z.string(), ...grantMembers, grantedAt: DateTime })
  .meta({ id: "CatalogGrant" });
export type CatalogGrant = z.infer<typeof CatalogGrant>;

export const CatalogGrantList = z.object({ items: z.array(CatalogGrant) }).meta({ id: "CatalogGrantList" });
export type CatalogGrantList = z.infer<typeof CatalogGrantList>;

export const CreateGrantRequest = closedObject({ provider: z.string().min(1) }).meta({ id: "CreateGrantRequest" });
export type CreateGrantRequest = z.infer<typeof CreateGrantRequest>;

const ownerPriceMembers = {
  provider: z.string().min(1),
  endpoint: z.string().min(1).optional().meta({ description: "Absent: all endpoints without a price of their own." }),
};

/** What callers pay by the decision of the service's owner, in place of the price in the provider's file. */
export const OwnerPrice = z
  .object({
    ...ownerPriceMembers,
    price: PriceRule,
    problem: z
      .string()
      .optional()
      .meta({ description: "Why it does not apply to what it names, or not to all of it." }),
  })
  .meta({ id: "OwnerPrice" });
export type OwnerPrice = z.infer<typeof OwnerPrice>;

export const OwnerPriceList = z.object({ items: z.array(OwnerPrice) }).meta({ id: "OwnerPriceList" });
export type OwnerPriceList = z.infer<typeof OwnerPriceList>;

/** An ignored member would result in an unintended price. */
export const PutPriceRequest = closedObject({
  ...ownerPriceMembers,
  price: z.discriminatedUnion("type", [
    closedObject({ ...PriceRulePerCall.shape, amount: MoneyGiven }),
    closedObject({ ...PriceRulePerResult.shape, amount: MoneyGiven, flatFee: MoneyGiven.optional() }),
    closedObject({ ...PriceRuleMetered.shape, amount: MoneyGiven }),
    closedObject({ ...PriceRulePerUnit.shape, amount: MoneyGiven }),
  ]),
}).meta({ id: "PutPriceRequest" });
export type PutPriceRequest = z.infer<typeof PutPriceRequest>;

/** A stored secret without its value, which is never shown again. docs/contract.md, "Admin routes". */
export const AdminSecret = z
  .object({
    name: z.string(),
    overridden: z.boolean().meta({ description: "The daemon's environment has it too, and has precedence." }),
    notRedacted: z.literal(true).optional().meta({
      description: "The value has fewer than six characters: if a provider sends it back, it is not redacted.",
    }),
    providers: z
      .array(z.object({ provider: z.string(), needsGrant: z.boolean() }))
      .meta({ description: "The providers whose files ask for it; each reads it only with its grant." }),
  })
  .meta({ id: "AdminSecret" });
export type AdminSecret = z.infer<typeof AdminSecret>;

export const AdminSecretList = z.object({ items: z.array(AdminSecret) }).meta({ id: "AdminSecretList" });
export type AdminSecretList = z.infer<typeof AdminSecretList>;

export const PutSecretRequest = closedObject({ value: z.string() }).meta({ id: "PutSecretRequest" });
export type PutSecretRequest = z.infer<typeof PutSecretRequest>;

export const BackupRequest = closedObject({
  directory: z.string().min(1).meta({
    description: "On the service's machine: an absolute path, not there yet or empty, outside of the data folder.",
  }),
}).meta({ id: "BackupRequest" });
export type BackupRequest = z.infer<typeof BackupRequest>;

/** What a backup holds. docs/contract.md, "Admin routes". */
export const BackupReport = z
  .object({
    directory: z.string(),
    segments: z.int().min(1).meta({ description: "Files of the journal." }),
    bytes: z.int().min(0).meta({ description: "Size of everything that was copied." }),
    seq: z.int().min(0).meta({ description: "Number of the journal's last line in it." }),
  })
  .meta({ id: "BackupReport" });
export type BackupReport = z.infer<typeof BackupReport>;
