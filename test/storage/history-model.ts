import { microDollars, negate } from "../../shared/micro-dollars.ts";
import type { Postings } from "../../daemon/ledger/money/postings.ts";
import type { Plain } from "../support/branded.ts";
import fc from "fast-check";
import type { RunFilter } from "../../daemon/ledger/stores/run-store.ts";
import type { RunRecord } from "../../daemon/ledger/records/run-record.ts";
import type { Store } from "../../daemon/storage/store.ts";
import type { Line } from "../../daemon/ledger/transaction/transaction.ts";
import { AT, ownerCreated, runAccepted, runDone, workspaceCreated } from "./lines.ts";

export const WORKSPACES = ["w1", "w2"] as const;
const PROVIDERS = ["weather", "maps"] as const;
const ENDPOINTS = ["current", "forecast"] as const;
const LABELS = ["ci", "web"] as const;
const TEAMS = [undefined, "red", "blue:green"] as const;

/** What happens next; places are taken modulo what there is. */
export type Step =
  | { readonly kind: "accept"; readonly facts: RunChoice }
  | { readonly kind: "block"; readonly facts: RunChoice }
  | { readonly kind: "finish"; readonly place: number; readonly cost: number }
  | { readonly kind: "credit"; readonly workspace: number };

interface RunChoice {
  readonly workspace: number;
  readonly provider: number;
  readonly label: number;
  readonly endpoint: number;
  readonly team: number;
  readonly minute: number;
}

const choice = fc.record({
  workspace: fc.nat(1),
  provider: fc.nat(1),
  label: fc.nat(1),
  endpoint: fc.nat(1),
  team: fc.nat(TEAMS.length - 1),
  minute: fc.nat(59),
});

export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("accept" as const), facts: choice }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("block" as const), facts: choice }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("finish" as const), place: fc.nat(50), cost: fc.nat(10_000) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("credit" as const), workspace: fc.nat(1) }) },
);

export const filter: fc.Arbitrary<RunFilter> = fc
  .record(
    {
      statuses: fc.constantFrom<RunFilter["statuses"]>(["COMPLETED"], ["RUNNING", "BLOCKED"], ["FAILED"]),
      provider: fc.constantFrom(...PROVIDERS, "nobody"),
      endpoint: fc.constantFrom(...ENDPOINTS),
      keyLabel: fc.constantFrom(...LABELS),
      keyId: fc.constantFrom(...LABELS.map(keyIdOf), "nobody"),
      tag: fc.constantFrom(
        { key: "team", value: "red" },
        { key: "team", value: "blue:green" },
        // A name may have the colon in it that a filter ends it with.
        { key: "team:blue", value: "green" },
        { key: "team", value: "nobody" },
      ),
      since: fc.nat(59).map(timeOf),
      until: fc.nat(59).map(timeOf),
      controlId: fc.constantFrom("c0", "c1"),
    },
    { requiredKeys: [] },
  )
  // A member that is there is never undefined.
  .map((some) => Object.fromEntries(Object.entries(some).filter(([, value]) => value !== undefined)));

function timeOf(minute: number): string {
  return `2026-11-21T10:${String(minute).padStart(2, "0")}:00.000Z`;
}

/** All lines that were written, in their order, and the plainest possible answers from them. */
export class HistoryModel {
  readonly lines: Line[] = [];
  #open: RunRecord[] = [];
  #count = 0;

  begin(): Line[] {
    return WORKSPACES.map((workspaceId, index) => (index === 0 ? ownerCreated() : workspaceCreated(workspaceId)));
  }

  /** The line of a step; undefined when there is nothing to do. */
  lineOf(next: Step): Line | undefined {
    switch (next.kind) {
      case "accept":
        return runAccepted(this.#newId(), factsOf(next.facts, this.#count));
      case "block": {
        const facts = { ...factsOf(next.facts, this.#count + 1), status: "BLOCKED" as const, heldMicroDollars: 0 };
        return { ...runDone(this.#newId(), facts), led: [] };
      }
      case "finish": {
        const run = this.#open[next.place % Math.max(1, this.#open.length)];
        if (run === undefined) return undefined;
        const billing = { calculated: next.cost, actual: next.cost, reported: next.cost };
        return runDone(run.runId, { ...run, status: "COMPLETED", output: { run: run.runId }, billing });
      }
      case "credit": {
        const ws = WORKSPACES[next.workspace] ?? "w1";
        const amount = microDollars(7);
        const led: Postings = [
          ["operator:funds", negate(amount)],
          [`ws:${ws}:bal`, amount],
        ];
        return { t: "wallet.credited", v: 1, at: AT, ws, amount, reason: "test", by: "test", led };
      }
    }
  }

  take(line: Line): void {
    this.lines.push(line);
    if (line.t === "run.accepted") this.#open = [...this.#open, line.rec];
    if (line.t === "run.done") this.#open = this.#open.filter(({ runId }) => runId !== line.run);
  }

  /** Newest first by acceptance. */
  runs(workspaceId: string, by: RunFilter = {}): RunRecord[] {
    const runs = new Map<string, RunRecord>();
    for (const line of this.lines) if ("rec" in line) runs.set(line.run, line.rec);
    return [...runs.values()].reverse().filter((run) => run.workspaceId === workspaceId && matches(run, by));
  }

  movements(workspaceId: string): Line[] {
    return this.lines
      .filter((line) => "led" in line && line.led.some(([account]) => account.startsWith(`ws:${workspaceId}:`)))
      .reverse();
  }

  get openRuns(): readonly RunRecord[] {
    return this.#open;
  }

  #newId(): string {
    this.#count += 1;
    // Not in the order of acceptance, as ids of one millisecond are not.
    return `r${(this.#count * 7919) % 1_000}`;
  }
}

function factsOf(
  { workspace, provider, endpoint, label, team, minute }: RunChoice,
  count: number,
): Partial<Plain<RunRecord>> {
  return {
    workspaceId: WORKSPACES[workspace] ?? "w1",
    provider: PROVIDERS[provider] ?? "weather",
    endpoint: ENDPOINTS[endpoint] ?? "current",
    keyLabel: LABELS[label] ?? "ci",
    keyId: keyIdOf(LABELS[label] ?? "ci"),
    createdAt: timeOf(minute),
    ...(TEAMS[team] !== undefined && { tags: { team: TEAMS[team], run: String(count) } }),
    ...(count % 3 === 0 && {
      idempotency: { key: `key of ${count}`, request: `request ${count}`, waitSeconds: 0 },
      controls: [
        {
          kind: "runCap" as const,
          controlId: `c${count % 2}`,
          isBlocking: false,
          requiredMicroDollars: 1,
          limitMicroDollars: 2,
        },
      ],
    }),
  };
}

function matches(run: RunRecord, by: RunFilter): boolean {
  return (
    (by.statuses?.includes(run.status) ?? true) &&
    (by.provider ?? run.provider) === run.provider &&
    (by.endpoint ?? run.endpoint) === run.endpoint &&
    (by.keyLabel === undefined || by.keyLabel === run.keyLabel) &&
    (by.keyId === undefined || by.keyId === run.keyId) &&
    (by.tag === undefined || hasTag(run, `${by.tag.key}:${by.tag.value}`)) &&
    (by.since === undefined || run.createdAt >= by.since) &&
    (by.until === undefined || run.createdAt < by.until) &&
    (by.controlId === undefined || run.controls?.some(({ controlId }) => controlId === by.controlId) === true)
  );
}

function hasTag({ tags = {} }: RunRecord, tag: string): boolean {
  return Object.entries(tags).some(([name, value]) => `${name}:${value}` === tag);
}

function keyIdOf(label: string): string {
  return `key of ${label}`;
}

export async function listAllPages(
  store: Store,
  workspaceId: string,
  by: RunFilter,
  limit: number,
): Promise<{ readonly pages: number; readonly runIds: string[] }> {
  const runIds: string[] = [];
  let before: number | undefined;
  for (let pages = 1; ; pages += 1) {
    const page = await store.listRuns(workspaceId, by, before === undefined ? { limit } : { limit, before });
    runIds.push(...page.items.map(({ runId }) => runId));
    if (page.next === undefined) return { pages, runIds };
    before = page.next;
  }
}

export async function listAllMovements(store: Store, workspaceId: string, limit: number): Promise<Line[]> {
  const lines: Line[] = [];
  let before: number | undefined;
  for (;;) {
    const page = await store.listMovements(workspaceId, before === undefined ? { limit } : { limit, before });
    for (const item of page.items) {
      if ("damaged" in item) throw item.damaged;
      lines.push(item.line);
    }
    if (page.next === undefined) return lines;
    before = page.next;
  }
}
