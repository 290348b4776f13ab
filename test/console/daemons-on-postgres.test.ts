import { describe, expect, test } from "vitest";
import { mktHome } from "../support/mkt-home.ts";
import { emptyDatabase, hasPostgres, NEEDS_POSTGRES } from "../support/postgres.ts";
import { askWith } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { readEvents } from "./event-reader.ts";
import { exchange, ticketOf } from "./sign-in.ts";

/** Daemons on one database, which share their keys. */
async function serve(url: string, count: number) {
  const daemons: TestDaemon[] = [];
  const environment = { MKT_DATABASE_URL: url, MKT_DATABASE_KEY: "ab".repeat(32) };
  for (let i = 0; i < count; i += 1) daemons.push(await startTestDaemon({ home: mktHome(), environment }));
  const [first, ...others] = daemons;
  if (first === undefined) throw new Error("no daemon was asked for");
  return {
    first,
    others,
    async [Symbol.asyncDispose]() {
      for (const daemon of daemons) await daemon[Symbol.asyncDispose]();
    },
  };
}

describe.skipIf(!hasPostgres)(`the console of daemons on one database (${NEEDS_POSTGRES})`, () => {
  test("opens one session for a ticket that two daemons get at once, and all of them know it", async () => {
    await using database = await emptyDatabase();
    await using all = await serve(database.url, 2);
    const [second] = all.others as [TestDaemon];
    const owner = all.first.request;

    for (let round = 0; round < 5; round += 1) {
      const ticket = await ticketOf(owner);
      const answers = await Promise.all(
        [second.url, all.first.url, second.url, all.first.url].map(async (url) => await exchange(url, ticket)),
      );

      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 401, 401, 401]);
      const [{ key, label }] = answers.filter(({ status }) => status === 201).map(({ body }) => body);
      const [here, there] = [askWith(all.first.url, key), askWith(second.url, key)];
      expect((await here("GET", "/v1/runs")).status).toBe(200);
      expect((await there("GET", "/v1/runs")).status).toBe(200);
      await there("POST", `/v1/api-keys/${label}/revoke`);
      expect((await here("GET", "/v1/runs")).status).toBe(401);
    }
  });

  test("tells at one daemon what another one did, and goes on at the other where the reader was", async () => {
    await using database = await emptyDatabase();
    await using all = await serve(database.url, 2);
    const [second] = all.others as [TestDaemon];
    const { key, request } = all.first;
    const newKey = async (label: string) => expect((await request("POST", "/v1/api-keys", { label })).status).toBe(201);
    await using there = await readEvents(second.url, key);
    await using here = await readEvents(all.first.url, key);

    await newKey("one");
    const seen = await there.until(({ data }) => data.id === "one");
    await there[Symbol.asyncDispose]();
    await newKey("two");
    await newKey("three");
    await here.until(({ data }) => data.id === "three");
    await using again = await readEvents(all.first.url, key, seen.id);
    await using back = await readEvents(second.url, key, seen.id);

    for (const reader of [again, back]) {
      await reader.until(({ data }) => data.id === "three");
      expect(reader.events.map(({ type, data }) => `${type} ${data.id ?? ""}`)).toEqual([
        "ready ",
        "key two",
        "key three",
      ]);
    }
    await request("POST", "/v1/api-keys/owner/revoke");
    await Promise.all([here.ended, again.ended, back.ended]);
  });
});
