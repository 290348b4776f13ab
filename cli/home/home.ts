import type { WhoamiResponse } from "../../shared/contract/identity.ts";
import type { RunListItem } from "../../shared/contract/runs.ts";
import type { Health } from "../../shared/contract/service.ts";
import type { WalletBalanceResponse } from "../../shared/contract/wallet.ts";

/** The overview that `mkt` alone shows: what it prints with `--json`. Unknown members are null. */
export interface Home {
  /** Of this program. */
  readonly version: string;
  readonly profile: string;
  readonly dataDir: string;
  /** The service in use, and what said so; null when no address is set and no local daemon runs. */
  readonly address: { readonly url: string; readonly from: string } | null;
  readonly service: Pick<Health, "status" | "version"> | null;
  readonly caller: WhoamiResponse | null;
  readonly wallet: WalletBalanceResponse | null;
  /** The last ones, newest first. */
  readonly runs: readonly RunListItem[];
  /** The first problem that makes this incomplete. */
  readonly problem: { readonly code: number; readonly message: string } | null;
  /** What to type, best first. */
  readonly next: readonly NextCommand[];
}

export interface NextCommand {
  readonly what: string;
  readonly command: string;
}
