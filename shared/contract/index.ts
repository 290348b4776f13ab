import { adminOperations } from "./admin-operations.ts";
import { approvalOperations } from "./approval-operations.ts";
import { apiKeyOperations } from "./api-keys.ts";
import { catalogOperations } from "./catalog.ts";
import { catalogViewOperations } from "./catalog-views.ts";
import { consoleOperations } from "./console-operations.ts";
import { connectionOperations } from "./connections.ts";
import { controlOperations } from "./control-operations.ts";
import { discoveryOperations } from "./discovery.ts";
import { eventOperations } from "./events.ts";
import { identityOperations } from "./identity.ts";
import { inspectOperations } from "./inspect.ts";
import { overviewOperations } from "./overview.ts";
import { quoteOperations } from "./quote.ts";
import { resourceOperations } from "./resources.ts";
import { runOperations } from "./run-operations.ts";
import { scheduleOperations } from "./schedule-operations.ts";
import { secretVerdictOperations } from "./secret-verdicts.ts";
import { serviceOperations } from "./service.ts";
import { usageOperations } from "./usage.ts";
import { walletOperations } from "./wallet.ts";
import { webhookOperations } from "./webhooks.ts";

/** Every operation of the service by its operationId. The only list: routes, client and OpenAPI document come from it. */
export const operations = {
  ...identityOperations,
  ...discoveryOperations,
  ...inspectOperations,
  ...runOperations,
  ...usageOperations,
  ...quoteOperations,
  ...controlOperations,
  ...approvalOperations,
  ...scheduleOperations,
  ...resourceOperations,
  ...connectionOperations,
  ...walletOperations,
  ...webhookOperations,
  ...apiKeyOperations,
  ...catalogOperations,
  ...catalogViewOperations,
  ...overviewOperations,
  ...eventOperations,
  ...consoleOperations,
  ...serviceOperations,
  ...adminOperations,
  ...secretVerdictOperations,
} as const;

export type Operations = typeof operations;
export type OperationId = keyof Operations;
