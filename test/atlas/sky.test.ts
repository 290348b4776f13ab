import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openAtlas } from "../support/open-atlas.ts";

const lisbon = { latitude: 38.7223, longitude: -9.1393 };
const tromso = { latitude: 69.65, longitude: 18.96 };

describe("the sun", () => {
  test("at middle latitudes it rises before noon and sets after it, every day of the century", async () => {
    await using atlas = await openAtlas();
    const places = fc.record({
      latitude: fc.integer({ min: -60, max: 60 }),
      longitude: fc.integer({ min: -180, max: 180 }),
    });
    const days = fc.integer({ min: Date.UTC(2000, 0, 1) / 86_400_000, max: Date.UTC(2099, 0, 1) / 86_400_000 });

    await fc.assert(
      fc.asyncProperty(places, days, async (place, day) => {
        const date = new Date(day * 86_400_000).toISOString().slice(0, 10);

        const { body } = await atlas.get("/sun", { ...place, date });

        const times = [body.civilTwilight.dawn, body.sunrise, body.solarNoon, body.sunset, body.civilTwilight.dusk];
        expect(times.map((time) => Date.parse(time))).toEqual(
          times.map((time) => Date.parse(time)).sort((a, b) => a - b),
        );
        expect(body.sun).toBe("rises or sets");
      }),
      { numRuns: 40 },
    );
  });

  test("midsummer in Lisbon is as the almanacs have it", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.get("/sun", { ...lisbon, date: "2024-06-21", zone: "Europe/Lisbon" });

    expect(Math.abs(Date.parse(body.sunrise) - Date.parse("2024-06-21T06:12:00+01:00"))).toBeLessThan(120_000);
    expect(Math.abs(Date.parse(body.sunset) - Date.parse("2024-06-21T21:05:00+01:00"))).toBeLessThan(120_000);
    expect(body.sunrise).toContain("+01:00");
  });

  test("in Tromsø it is up all day in June and down all day in December", async () => {
    await using atlas = await openAtlas();

    const june = await atlas.get("/sun", { ...tromso, date: "2024-06-21" });
    const december = await atlas.get("/sun", { ...tromso, date: "2024-12-21" });

    expect(june.body).toMatchObject({ sunrise: null, sunset: null, daylightMinutes: 1440, sun: "up all day" });
    expect(december.body).toMatchObject({ sunrise: null, sunset: null, daylightMinutes: 0, sun: "down all day" });
  });

  test("a place that is not on the earth is refused", async () => {
    await using atlas = await openAtlas();

    const { status, body } = await atlas.get("/sun", { latitude: 91, longitude: 0 });

    expect(status).toBe(422);
    expect(body.error.message).toContain("latitude");
  });

  test("an unknown zone is not found", async () => {
    await using atlas = await openAtlas();

    const { status } = await atlas.get("/sun", { ...lisbon, zone: "Europe/Atlantis" });

    expect(status).toBe(404);
  });
});

describe("the moon", () => {
  test("it was full on 25 January 2024 and new on 11 January", async () => {
    await using atlas = await openAtlas();

    const full = await atlas.get("/moon", { date: "2024-01-25" });
    const fresh = await atlas.get("/moon", { date: "2024-01-11" });

    expect(full.body.phase).toBe("Full moon");
    expect(full.body.illuminatedPercent).toBeGreaterThan(99);
    expect(fresh.body.phase).toBe("New moon");
    expect(fresh.body.illuminatedPercent).toBeLessThan(1);
  });

  test("basic detail leaves out what full detail has", async () => {
    await using atlas = await openAtlas();

    const basic = await atlas.get("/moon", { date: "2024-03-01" });
    const full = await atlas.get("/moon", { date: "2024-03-01", detail: "full" });

    expect(basic.body).not.toHaveProperty("quarters");
    expect(full.body).toMatchObject(basic.body);
    expect(full.body.nextLunarEclipse).toMatchObject({ kind: "penumbral", at: expect.stringContaining("2024-03-25") });
  });

  test("the quarters follow one another in their order", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.get("/moon", { date: "2024-03-01", detail: "full" });

    const quarters: { phase: string; at: string }[] = body.quarters;
    expect(quarters.map(({ at }) => at)).toEqual(quarters.map(({ at }) => at).sort());
    expect(quarters.map(({ phase }) => phase)).toEqual(["Last quarter", "New moon", "First quarter", "Full moon"]);
  });

  test("half a place is refused", async () => {
    await using atlas = await openAtlas();

    const { status } = await atlas.get("/moon", { detail: "full", latitude: 38 });

    expect(status).toBe(422);
  });
});

test("the seasons of a year follow one another", async () => {
  await using atlas = await openAtlas();

  const { body } = await atlas.get("/seasons/2024");

  const { marchEquinox, juneSolstice, septemberEquinox, decemberSolstice } = body;
  expect([marchEquinox, juneSolstice, septemberEquinox, decemberSolstice].map((time) => time.slice(0, 10))).toEqual([
    "2024-03-20",
    "2024-06-20",
    "2024-09-22",
    "2024-12-21",
  ]);
});
