import type { Clock } from "../../base/clock.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import type { ConnectionService } from "../../connections/connection-service.ts";
import type { ControlService } from "../../controls/control-service.ts";
import type { HealthSource } from "../../discovery/health/health.ts";
import type { IdentityService } from "../../identity/identity-service.ts";
import type { AccountStore } from "../../ledger/stores/account-store.ts";
import type { RunStore } from "../../ledger/stores/run-store.ts";
import type { ScheduleStore } from "../../ledger/stores/schedule-store.ts";
import type { WebhookStore } from "../../ledger/stores/webhook-store.ts";
import type { RunService } from "../../runs/run-service.ts";
import type { SecretVerdicts } from "../../secret-verdicts/secret-verdicts.ts";
import type { WalletService } from "../../wallet/wallet-service.ts";

/** What an overview is made of. */
export interface OverviewParts {
  readonly store: Pick<AccountStore, "readMoney"> &
    Pick<RunStore, "listRuns"> &
    Pick<ScheduleStore, "listSchedules"> &
    Pick<WebhookStore, "listWebhooks" | "listDeliveries">;
  readonly clock: Clock;
  readonly identity: Pick<IdentityService, "ids" | "workspaces">;
  readonly wallet: Pick<WalletService, "unlimited">;
  readonly controls: Pick<ControlService, "list" | "readSpending">;
  readonly approvals: RunService["approvals"];
  readonly connections: Pick<ConnectionService, "list">;
  readonly secretVerdicts: Pick<SecretVerdicts, "of">;
  readonly catalog: Pick<Catalog, "providers" | "entries" | "entriesOf" | "availability" | "problems">;
  readonly health: HealthSource;
}
