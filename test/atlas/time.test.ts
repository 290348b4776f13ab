import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatOffset, ZoneOffsets } from "../../daemon/atlas/time/zone-offset.ts";
import { openAtlas } from "../support/open-atlas.ts";

describe("the time now", () => {
  test("is that of the clock, in the zone asked for", async () => {
    await using atlas = await openAtlas({ clock: { now: () => Date.UTC(2026, 6, 1, 12) } });

    const { body } = await atlas.get("/time/now", { zone: "Europe/Lisbon" });

    expect(body).toMatchObject({
      time: "2026-07-01T13:00:00+01:00",
      utc: "2026-07-01T12:00:00Z",
      weekday: "Wednesday",
    });
  });

  test("is in UTC when no zone is given", async () => {
    await using atlas = await openAtlas({ clock: { now: () => 0 } });

    const { body } = await atlas.get("/time/now");

    expect(body).toMatchObject({ zone: "UTC", offset: "+00:00", utc: "1970-01-01T00:00:00Z" });
  });

  test.each(["Lisbon", "Europe/Lisboa", "europe lisbon"])(
    "the zone %s is unknown, and the right name is told",
    async (zone) => {
      await using atlas = await openAtlas();

      const { status, body } = await atlas.get("/time/now", { zone });

      expect(status).toBe(404);
      expect(body.error.suggestions).toContain("Europe/Lisbon");
    },
  );

  test("an offset is no zone", async () => {
    await using atlas = await openAtlas();

    const { status } = await atlas.get("/time/now", { zone: "+02:00" });

    expect(status).toBe(404);
  });
});

describe("conversion", () => {
  test("a local time is told in several zones", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.get("/time/convert", {
      time: "2026-07-01T09:00",
      from: "Europe/Lisbon",
      to: ["Asia/Tokyo", "America/New_York"],
    });

    expect(body.localTime).toBe("unique");
    expect(body.converted.map((moment: { time: string }) => moment.time)).toEqual([
      "2026-07-01T17:00:00+09:00",
      "2026-07-01T04:00:00-04:00",
    ]);
  });

  test("an instant is taken as it is, whatever the zone", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.get("/time/convert", {
      time: "2026-07-01T09:00:00+02:00",
      from: "Asia/Tokyo",
      to: "UTC",
    });

    expect(body.converted[0].utc).toBe("2026-07-01T07:00:00Z");
  });

  test("an hour that clocks jump over is moved on, and told", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.get("/time/convert", { time: "2025-03-30T01:30", from: "Europe/Lisbon", to: "UTC" });

    expect(body.localTime).toBe("skipped");
    expect(body.time).toBe("2025-03-30T02:30:00+01:00");
  });

  test("an hour that happens twice is taken the first time, and told", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.get("/time/convert", { time: "2025-10-26T01:30", from: "Europe/Lisbon", to: "UTC" });

    expect(body.localTime).toBe("ambiguous");
    expect(body.utc).toBe("2025-10-26T00:30:00Z");
  });

  test.each([
    "tomorrow",
    "2026-02-30T10:00",
    "2026-02-30T10:00:00Z",
    "2026-13-01T10:00",
    "2026-01-01T25:00",
    "2026-01-01",
  ])("%s is no time", async (time) => {
    await using atlas = await openAtlas();

    const { status, body } = await atlas.get("/time/convert", { time, to: "UTC" });

    expect(status).toBe(422);
    expect(body.error.message).toContain(time);
  });

  test("every instant of every zone is found again from its local time", () => {
    const zones = Intl.supportedValuesOf("timeZone").map((zone) => new ZoneOffsets(zone));

    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: Date.UTC(1900, 0, 2) / 1000, max: Date.UTC(2100, 0, 1) / 1000 }),
        (zone, second) => {
          expect(zone.instantsOf(zone.localMs(second * 1000))).toContain(second * 1000);
        },
      ),
      { numRuns: 500 },
    );
  });

  test.each([
    [0, "+00:00"],
    [3600, "+01:00"],
    [-12_600, "-03:30"],
    [-2205, "-00:36:45"],
  ])("an offset of %i seconds is written %s", (seconds, text) => {
    expect(formatOffset(seconds)).toBe(text);
  });
});

describe("changes of the clock", () => {
  test("Lisbon changed its clocks twice a year in the 2010s, in turns forward and back", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.get("/time/transitions", { zone: "Europe/Lisbon", fromYear: 2010, toYear: 2019 });

    expect(body.total).toBe(20);
    expect(body.transitions.map((transition: { clocksGo: string }) => transition.clocksGo)).toEqual(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? "forward" : "back")),
    );
    expect(body.transitions[0].at).toBe("2010-03-28T01:00:00Z");
  });

  test("Tokyo has not changed its clocks since 1952", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.get("/time/transitions", { zone: "Asia/Tokyo", fromYear: 1952, toYear: 2020 });

    expect(body).toMatchObject({ total: 0, transitions: [] });
  });

  test("the day that Samoa left out is found", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.get("/time/transitions", { zone: "Pacific/Apia", fromYear: 2011, toYear: 2011 });

    expect(body.transitions).toContainEqual(expect.objectContaining({ clocksGo: "forward", byMinutes: 1440 }));
  });

  test("right before each change the old offset holds, and from it on the new one", async () => {
    await using atlas = await openAtlas();
    const zone = new ZoneOffsets("Africa/Cairo");

    const { body } = await atlas.get("/time/transitions", { zone: "Africa/Cairo", fromYear: 1940, toYear: 2020 });

    expect(body.total).toBeGreaterThan(50);
    for (const { at, offsetBefore, offsetAfter } of body.transitions) {
      expect(formatOffset(zone.offsetSeconds(Date.parse(at) - 1000))).toBe(offsetBefore);
      expect(formatOffset(zone.offsetSeconds(Date.parse(at)))).toBe(offsetAfter);
    }
  });

  test("years in the wrong order are refused", async () => {
    await using atlas = await openAtlas();

    const { status, body } = await atlas.get("/time/transitions", { zone: "UTC", fromYear: 2020, toYear: 2010 });

    expect(status).toBe(422);
    expect(body.error.message).toContain("toYear");
  });
});
