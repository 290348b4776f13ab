import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import type { ResourceRecord } from "../../daemon/ledger/records/resource-record.ts";
import type { Line } from "../../daemon/ledger/transaction/transaction.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { isLong } from "../support/effort.ts";
import type { Fleet } from "./fleet.ts";

/*
 * What a workspace has beside runs that somebody asks for: rooms that it rents and gives back, a schedule, and a webhook that hears of
 * both. Only the leader does these chores, and it is killed like the others.
 */

const SETTLE = { timeout: 150_000, interval: 500 };
const LIVE = new Set(["READY", "PROVISIONING", "ACTIVE", "EXPIRING", "SUSPENDED"]);

/** Has rooms, and hears of deliveries. In the long form a room costs $0.001 a minute, and is kept until that is over. */
export interface Landlord extends AsyncDisposable {
  readonly manifests: Readonly<Record<string, object>>;
  readonly url: string;
  /** Ids of the rooms that were made, once for each call. */
  made(): readonly string[];
  /** Those that were given back. */
  dropped(): ReadonlySet<string>;
  /** Ids of deliveries by the run that they tell of. */
  deliveries(): ReadonlyMap<string, ReadonlySet<string>>;
}

/** `refuses`: says of a delivery that is heard for the first time whether it fails. */
export async function startLandlord(refuses: (heard: number) => boolean): Promise<Landlord> {
  const provider: FakeProvider = await startFakeProvider();
  const dropped = new Set<string>();
  const heard = new Set<string>();
  const idOf = (path: string) => path.slice("/rooms/".length);
  provider.on("POST /rooms", ({ headers }) => ({ json: { id: `room-${String(headers["x-run-id"])}` } }));
  provider.on("GET /rooms/*", ({ path }) => (dropped.has(idOf(path)) ? { status: 404 } : { json: { is: "there" } }));
  provider.on("DELETE /rooms/*", ({ path }) => {
    dropped.add(idOf(path));
    return { status: 204 };
  });
  provider.on("POST /hook", ({ headers }) => {
    const id = String(headers["webhook-id"]);
    const isFirst = !heard.has(id);
    heard.add(id);
    return { status: isFirst && refuses(heard.size) ? 500 : 204 };
  });
  const price = { type: "BY_PERIOD", amount: 0.001, period: { unit: "MINUTE", count: 1 } };
  return {
    url: provider.url,
    manifests: {
      landlord: {
        http: { baseUrl: provider.url, allowPrivateNetwork: true },
        resources: {
          room: {
            displayName: "Room",
            type: "machine",
            ...(isLong && { price }),
            verify: { method: "GET", path: "/rooms/${resource.id}", goneIf: [404] },
            release: { method: "DELETE", path: "/rooms/${resource.id}" },
          },
        },
        endpoints: {
          "/rooms/make": {
            request: { method: "POST", path: "/rooms", headers: { "x-run-id": "${run.id}" } },
            price: { type: "FREE" },
            resources: { provisions: { resource: "room", id: "$.id" } },
          },
        },
      },
    },
    made: () =>
      provider.calls
        .filter(({ path }) => path === "/rooms")
        .map(({ headers }) => `room-${String(headers["x-run-id"])}`),
    dropped: () => dropped,
    deliveries() {
      const ids = new Map<string, Set<string>>();
      for (const { path, headers, json } of provider.calls) {
        if (path !== "/hook") continue;
        const { runId } = json.data;
        ids.set(runId, (ids.get(runId) ?? new Set()).add(String(headers["webhook-id"])));
      }
      return ids;
    },
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  };
}

export interface Tenant {
  readonly workspaceId: string;
  /** Dollars that it was given and has not any more, when nothing is open. */
  spent(): Promise<number>;
  /** Rents rooms and gives back every other one, until then. */
  keepRenting(until: number): Promise<void>;
  /** Ends the schedule, gives back the rooms, and waits until every delivery is made. */
  settle(readLines: () => Promise<readonly Line[]>): Promise<void>;
  /** Throws what is not as it must be. For the report. */
  check(lines: readonly Line[]): string;
}

const CREDIT_DOLLARS = 100;
const RENT_MS = 60_000;
/** A rent may be late by a takeover and an outage. */
const LATE_MS = 30_000;

/** A workspace with a schedule that is due every other second and a webhook. `buy`: a run that costs something. */
export async function moveIn(fleet: Fleet, landlord: Landlord, buy: object): Promise<Tenant> {
  const admin = "/v1/admin/workspaces";
  const made = async (path: string, body: object, key?: string) => {
    const wish = { body, idempotencyKey: randomUUID(), ...(key !== undefined && { key }) };
    let answer = await fleet.ask("POST", path, wish);
    for (; answer.status === 409; await pause(100)) answer = await fleet.ask("POST", path, wish);
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    return answer.body;
  };
  const { workspaceId } = await made(admin, { name: randomUUID() });
  // As an operator: its webhooks may be on this machine.
  const { key } = await made(`${admin}/${workspaceId}/api-keys`, { label: "tenant", operator: true });
  const amount = { value: CREDIT_DOLLARS, currency: "USD" };
  await made(`${admin}/${workspaceId}/credits`, { amount, reason: "for a trial" });
  await made("/v1/webhooks", { url: `${landlord.url}/hook`, events: ["run.*"] }, key);
  const schedule = { ...buy, cron: "*/2 * * * * *", overlap: true, pauseAfterFailures: 1_000 };
  const { scheduleId } = await made("/v1/schedules", schedule, key);

  const read = async (path: string) => (await fleet.ask("GET", path, { key })).body;
  const listRooms = async () => {
    const rooms: any[] = [];
    for (let cursor: string | undefined = ""; cursor !== undefined;) {
      const page: any = await read(`/v1/resources?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`);
      rooms.push(...page.items);
      cursor = page.cursor ?? undefined;
    }
    return rooms;
  };
  const giveBack = async (resourceId: string) =>
    void (await fleet.ask("POST", `/v1/resources/${resourceId}/release`, { key }));
  const endedRuns = (lines: readonly Line[]) =>
    lines.flatMap((line) => (line.t === "run.done" && line.ws === workspaceId ? [line] : []));
  const untold = (lines: readonly Line[]) => {
    const told = landlord.deliveries();
    const delivered = new Set(deliveredIn(lines));
    return endedRuns(lines).filter(({ run }) => ![...(told.get(run) ?? [])].some((id) => delivered.has(id)));
  };
  return {
    workspaceId,
    spent: async () => CREDIT_DOLLARS - (await read("/v1/wallet/balance")).balance.value,
    async keepRenting(until) {
      for (let turn = 0; Date.now() < until; turn += 1) {
        const { resources = [] } = await made("/v1/run", { provider: "landlord", endpoint: "/rooms/make" }, key);
        if (turn % 2 === 0) for (const { resourceId } of resources) await giveBack(resourceId);
        await pause(1_000);
      }
    },
    async settle(readLines) {
      await fleet.ask("DELETE", `/v1/schedules/${scheduleId}`, { key });
      for (const { resourceId, state } of await listRooms()) if (LIVE.has(state)) await giveBack(resourceId);
      await expect.poll(async () => (await listRooms()).filter(({ state }) => LIVE.has(state)).length, SETTLE).toBe(0);
      await expect.poll(async () => untold(await readLines()).length, SETTLE).toBe(0);
    },
    check(lines) {
      const due = lines.flatMap((line) => (line.t === "run.accepted" ? [line.rec.schedule?.dueAt ?? []].flat() : []));
      expect(new Set(due).size).toBe(due.length);
      expect(due.length).toBeGreaterThan(0);

      const provisioned = endedRuns(lines).flatMap(({ res = [] }) => res);
      expect(provisioned.length).toBeGreaterThan(0);
      const externalIds = provisioned.map(({ externalId }) => externalId);
      const calls = landlord.made();
      expect(new Set(externalIds).size).toBe(externalIds.length);
      expect(new Set(calls).size).toBe(calls.length);
      expect(externalIds.filter((id) => !calls.includes(id ?? ""))).toEqual([]);
      expect(externalIds.filter((id) => !landlord.dropped().has(id ?? ""))).toEqual([]);

      const rents = lines.flatMap((line) =>
        line.t === "resource.changed" && line.led.length > 0
          ? [`${line.resource.resourceId} ${line.resource.renewal?.cycle}`]
          : [],
      );
      expect(new Set(rents).size).toBe(rents.length);
      expect(dueRents(lines, provisioned).filter((rent) => !rents.includes(rent))).toEqual([]);

      const told = landlord.deliveries();
      expect([...told].filter(([, ids]) => ids.size !== 1)).toEqual([]);
      expect(untold(lines)).toEqual([]);
      const delivered = deliveredIn(lines);
      expect(new Set(delivered).size).toBe(delivered.length);
      return `${due.length} due times, ${provisioned.length} rooms, ${rents.length} further rents and ${told.size} deliveries once each`;
    },
  };
}

/** Every period of a room after the first, which its run paid, until it was given back. In the short form rooms have no rent. */
function dueRents(lines: readonly Line[], provisioned: readonly ResourceRecord[]): readonly string[] {
  const last = new Map(provisioned.map((room) => [room.resourceId, room]));
  for (const line of lines) if (line.t === "resource.changed") last.set(line.resource.resourceId, line.resource);
  return [...last.values()].flatMap(({ resourceId, renewal }) => {
    expect(renewal !== undefined).toBe(isLong);
    if (renewal === undefined) return [];
    const keptMs = Date.parse(renewal.cancelledAt ?? renewal.currentPeriodEnd) - Date.parse(renewal.startedAt);
    const cycles = Math.max(renewal.cycle, Math.floor((keptMs - LATE_MS) / RENT_MS) + 1);
    return Array.from({ length: cycles - 1 }, (_, earlier) => `${resourceId} ${earlier + 2}`);
  });
}

/** Ids of deliveries, once for each time that one was recorded as made. */
function deliveredIn(lines: readonly Line[]): readonly string[] {
  const tried = lines.flatMap((line) => (line.t === "webhook.tried" ? line.each : []));
  return tried.flatMap(({ id, delivered }) => (delivered === true ? [id] : []));
}
