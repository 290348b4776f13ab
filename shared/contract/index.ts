import { adminOperations } from "./admin-operations.ts";
import { apiKeyOperations } from "./api-keys.ts";
import { catalogOperations } from "./catalog.ts";
import { controlOperations } from "./control-operations.ts";
import { discoveryOperations } from "./discovery.ts";
import { identityOperations } from "./identity.ts";
import { inspectOperations } from "./inspect.ts";
import { quoteOperations } from "./quote.ts";
import { resourceOperations } from "./resources.ts";
import { runOperations } from "./run-operations.ts";
import { serviceOperations } from "./service.ts";
import { usageOperations } from "./usage.ts";
import { walletOperations } from "./wallet.ts";

/** Every operation of the service by its operationId. The only list: routes, client and OpenAPI document come from it. */
export const operations = {
  ...identityOperations,
  ...discoveryOperations,
  ...inspectOperations,
  ...runOperations,
  ...usageOperations,
  ...quoteOperations,
  ...controlOperations,
  ...resourceOperations,
  ...walletOperations,
  ...apiKeyOperations,
  ...catalogOperations,
  ...serviceOperations,
  ...adminOperations,
} as const;

export type Operations = typeof operations;
export type OperationId = keyof Operations;
