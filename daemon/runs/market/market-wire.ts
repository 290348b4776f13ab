import type { RunAtMarket } from "../../../shared/contract/run-at-market.ts";
import { toMoney } from "../../../shared/micro-dollars.ts";
import type { MarketRecord } from "../../ledger/records/market-record.ts";

/** `jobId`: the id of the run there, while it is a job of the run here. */
export function toRunAtMarket({ host, run }: Pick<MarketRecord, "host" | "run">, jobId?: string): RunAtMarket {
  const runId = run?.runId ?? jobId;
  return {
    host,
    ...(runId !== undefined && { runId }),
    ...(run !== undefined && { status: run.status }),
    ...(run?.cost !== undefined && { cost: toMoney(run.cost) }),
  };
}
