import type { RunRecord } from "../../daemon/ledger/records/run-record.ts";
import { branded, type Plain } from "./branded.ts";

/** A run that was just accepted, held for $0.01, for tests that need one; members may be replaced. */
export function makeRun(members: Partial<Plain<RunRecord>> = {}): RunRecord {
  return branded<RunRecord>({
    runId: "01JD0000000000000000000000",
    workspaceId: "w1",
    caller: "API_KEY#f00d",
    owner: "u1",
    keyLabel: "owner",
    provider: "weather",
    providerName: "Weather",
    endpoint: "/now",
    manifestHash: "hash",
    mode: "sync",
    status: "RUNNING",
    input: { queryParams: { city: "Lisbon" } },
    price: { type: "PER_CALL", amount: "0.01" },
    priceWithoutMarkup: { type: "PER_CALL", amount: "0.008" },
    overrun: "operator",
    heldMicroDollars: 10_000,
    deadlineMs: 30_000,
    repeatable: false,
    createdAt: "2026-11-21T10:00:00.000Z",
    startedAt: "2026-11-21T10:00:00.000Z",
    attempts: [],
    output: null,
    resultCount: null,
    notes: [],
    ...members,
  });
}
