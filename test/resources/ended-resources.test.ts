import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { encodeCursor } from "../../daemon/http/cursors/cursor.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { mktHome, type MktHome } from "../support/mkt-home.ts";
import { handClock, openPhoneMarket, type PhoneMarket, scriptPhones } from "./phone-market.ts";

let upstream: FakeProvider;
let home: MktHome;
let phones: PhoneMarket;

const open = async () =>
  await openPhoneMarket(upstream, { home, clock: handClock(), environment: { MKT_STARTING_CREDIT: "1000" } });

beforeEach(async () => {
  upstream = await startFakeProvider();
  scriptPhones(upstream);
  home = mktHome();
  phones = await open();
});

afterEach(async () => {
  await phones?.[Symbol.asyncDispose]();
  home[Symbol.dispose]();
  await upstream[Symbol.asyncDispose]();
});

const list = async (query: string) => (await phones.daemon.request("GET", `/v1/resources?${query}`)).body;
const idsOf = (items: readonly { resourceId: string }[]) => items.map(({ resourceId }) => resourceId);

async function allPages(query: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await list(`${query}${cursor === undefined ? "" : `&cursor=${cursor}`}`);
    ids.push(...idsOf(page.items));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return ids;
}

/** Twelve numbers, of which every other one was given back by a run; the newest first. */
async function twelveNumbers(): Promise<{ all: string[]; ended: string[]; live: string[] }> {
  const all: string[] = [];
  const ended: string[] = [];
  for (let number = 0; number < 12; number += 1) {
    const { resourceId, externalId } = await phones.buy();
    all.unshift(resourceId);
    if (number % 2 === 0) continue;
    await phones.run("/numbers/drop", { number: externalId });
    ended.unshift(resourceId);
  }
  return { all, ended, live: all.filter((id) => !ended.includes(id)) };
}

describe("resources that have ended", () => {
  test("are in pages with those that live, each once and the newest first, before and after a restart", async () => {
    const { all, ended, live } = await twelveNumbers();

    const before = await allPages("limit=5");
    await phones[Symbol.asyncDispose]();
    phones = await open();

    expect(before).toEqual(all);
    expect(await allPages("limit=5")).toEqual(all);
    expect(await allPages("limit=4&state=RELEASED")).toEqual(ended);
    expect(await allPages("limit=4&state=ACTIVE")).toEqual(live);
    expect(await allPages("limit=4&provider=phonedesk&resourceType=machine")).toEqual([]);
  });

  test("are found by id with what they were and their events, and stay what they are", async () => {
    const { resourceId, externalId } = await phones.buy();
    await phones.run("/numbers/drop", { number: externalId });
    const before = await phones.resource(resourceId);
    await phones[Symbol.asyncDispose]();
    phones = await open();

    const { status } = await phones.daemon.request("POST", `/v1/resources/${resourceId}/release`);
    const live = await phones.daemon.request("GET", `/v1/resources/${resourceId}/external/phone-number`);

    expect(before).toMatchObject({ state: "RELEASED", externalId, releaseReasonCode: "RUN", releasable: false });
    expect(await phones.resource(resourceId)).toEqual(before);
    expect((await phones.events(resourceId)).map(({ type }) => type)).toEqual(["PROVISIONED", "RELEASED"]);
    expect([status, live.status]).toEqual([409, 404]);
    expect(await phones.run("/messages/send", { from: externalId })).toMatchObject({ code: 404 });
  });

  test("leave a list that somebody is reading as it is: cursors of before go on", async () => {
    const { all } = await twelveNumbers();
    const first = await list("limit=5");
    const next = all[5] ?? "";
    const { externalId, state } = await phones.resource(next);
    if (state === "ACTIVE") await phones.run("/numbers/drop", { number: externalId });
    await phones.buy();

    const second = await list(`limit=5&cursor=${first.cursor}`);
    const byId = await list(`limit=5&cursor=${encodeCursor("resources", all[4] ?? "")}`);

    expect(idsOf([...first.items, ...second.items])).toEqual(all.slice(0, 10));
    expect(idsOf(byId.items)).toEqual(idsOf(second.items));
  });
});
