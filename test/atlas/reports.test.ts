import { describe, expect, test } from "vitest";
import { openAtlas } from "../support/open-atlas.ts";

const lisbon = { latitude: 38.7223, longitude: -9.1393 };
/** Far too much to be finished while a test looks at it. */
const wholeWorldFor200Years = { fromYear: 1900, toYear: 2100 };

describe("the report on time zones", () => {
  test("covers every zone that Node knows", async () => {
    await using atlas = await openAtlas();
    const { body: job } = await atlas.post("/reports/time-zones", { fromYear: 2024, toYear: 2024 });

    const { status, body } = await atlas.get(`/jobs/${job.id}/result`);

    expect(status).toBe(200);
    expect(body.zones.map(({ zone }: { zone: string }) => zone)).toEqual(Intl.supportedValuesOf("timeZone"));
    expect(body.zones).toContainEqual(
      expect.objectContaining({
        zone: "Europe/Lisbon",
        countries: ["PT"],
        offsets: ["+00:00", "+01:00"],
        transitions: 2,
      }),
    );
  });

  test("covers the zones of one country when asked to", async () => {
    await using atlas = await openAtlas();
    const { body: job } = await atlas.post("/reports/time-zones", { country: "PT" });

    const { body } = await atlas.get(`/jobs/${job.id}/result`);

    expect(body.zones.map(({ zone }: { zone: string }) => zone)).toEqual(
      expect.arrayContaining(["Atlantic/Azores", "Atlantic/Madeira", "Europe/Lisbon"]),
    );
  });

  test("counts as many changes as are listed for a zone", async () => {
    await using atlas = await openAtlas();
    const { body: job } = await atlas.post("/reports/time-zones", { fromYear: 1980, toYear: 2020, country: "EG" });

    const { body: report } = await atlas.get(`/jobs/${job.id}/result`);
    const { body: listed } = await atlas.get("/time/transitions", {
      zone: "Africa/Cairo",
      fromYear: 1980,
      toYear: 2020,
    });

    expect(report.zones[0].transitions).toBe(listed.total);
    expect(report.zones[0].firstTransition).toBe(listed.transitions[0].at);
  });

  test.each([
    ["years in the wrong order", { fromYear: 2020, toYear: 2010 }, 422],
    ["a year out of range", { fromYear: 1492 }, 422],
    ["an unknown country", { country: "Lusitania" }, 404],
    ["an unknown field", { planet: "Mars" }, 422],
  ])("%s is refused before anything starts", async (_, input, status) => {
    await using atlas = await openAtlas();

    const reply = await atlas.post("/reports/time-zones", input);

    expect(reply.status).toBe(status);
    expect(reply.body.error.message).toBeTypeOf("string");
  });
});

describe("the almanac", () => {
  test("has a row for each day, and the days follow one another", async () => {
    await using atlas = await openAtlas();
    const { body: job } = await atlas.post("/reports/almanac", { ...lisbon, start: "2024-02-01", days: 60 });

    const { body } = await atlas.get(`/jobs/${job.id}/result`);

    const dates: string[] = body.days.map(({ date }: { date: string }) => date);
    expect(dates).toHaveLength(60);
    expect(dates).toEqual([...new Set(dates)].sort());
    expect(dates).toContain("2024-02-29");
  });

  test("says of a day what is said when asked about that day alone", async () => {
    await using atlas = await openAtlas();
    const place = { ...lisbon, zone: "Europe/Lisbon" };
    const { body: job } = await atlas.post("/reports/almanac", { ...place, start: "2024-06-21", days: 1 });

    const { body: almanac } = await atlas.get(`/jobs/${job.id}/result`);
    const { body: sun } = await atlas.get("/sun", { ...place, date: "2024-06-21" });

    expect(almanac.days[0]).toMatchObject({
      sunrise: sun.sunrise,
      sunset: sun.sunset,
      daylightMinutes: sun.daylightMinutes,
    });
  });

  test("begins with this year and goes on for a year when nothing else is asked", async () => {
    await using atlas = await openAtlas({ clock: { now: () => Date.UTC(2023, 5, 1) } });
    const { body: job } = await atlas.post("/reports/almanac", lisbon);

    const { body } = await atlas.get(`/jobs/${job.id}/result`);

    expect(body.days).toHaveLength(365);
    expect(body.days[0].date).toBe("2023-01-01");
  });
});

describe("progress", () => {
  test("a job starts at 0, never goes back, and ends at 100", async () => {
    await using atlas = await openAtlas();
    const { status, body: job } = await atlas.post("/reports/almanac", { ...lisbon, days: 300 });

    const seen = [job];
    while (seen.at(-1).state === "running") seen.push((await atlas.get(`/jobs/${job.id}`)).body);

    const progress = seen.map((view) => view.progress);
    expect(status).toBe(202);
    expect(progress[0]).toBe(0);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(seen.at(-1)).toMatchObject({ state: "done", progress: 100 });
  });

  test("other requests are answered while reports are made", async () => {
    await using atlas = await openAtlas();
    const { body: job } = await atlas.post("/reports/time-zones", wholeWorldFor200Years);

    const now = await atlas.get("/time/now");
    const view = await atlas.get(`/jobs/${job.id}`);

    expect(now.status).toBe(200);
    expect(view.body.state).toBe("running");
  });
});

describe("stopping", () => {
  test("a job that runs is stopped, stays so, and has no result", async () => {
    await using atlas = await openAtlas();
    const { body: job } = await atlas.post("/reports/time-zones", wholeWorldFor200Years);

    const stopped = await atlas.delete(`/jobs/${job.id}`);
    const view = await atlas.get(`/jobs/${job.id}`);
    const result = await atlas.get(`/jobs/${job.id}/result`);

    expect(stopped).toMatchObject({ status: 200, body: { state: "stopped" } });
    expect(view.body.state).toBe("stopped");
    expect(result.status).toBe(409);
  });

  test("a result that is waited for ends with the stop", async () => {
    await using atlas = await openAtlas();
    const { body: job } = await atlas.post("/reports/time-zones", wholeWorldFor200Years);
    const waiting = atlas.get(`/jobs/${job.id}/result`);

    await atlas.delete(`/jobs/${job.id}`);

    expect((await waiting).status).toBe(409);
  });

  test("a job that is over cannot be stopped", async () => {
    await using atlas = await openAtlas();
    const { body: job } = await atlas.post("/reports/almanac", { ...lisbon, days: 1 });
    await atlas.get(`/jobs/${job.id}/result`);

    const reply = await atlas.delete(`/jobs/${job.id}`);

    expect(reply.status).toBe(409);
  });
});

describe("job ids", () => {
  test("an atlas started anew takes up a job that it has never seen", async () => {
    const before = await openAtlas();
    const { body: job } = await before.post("/reports/almanac", { ...lisbon, start: "2024-01-01", days: 100 });
    await before.close();
    await using after = await openAtlas();

    const view = await after.get(`/jobs/${job.id}`);
    const result = await after.get(`/jobs/${job.id}/result`);

    expect(view).toMatchObject({ status: 200, body: { id: job.id, kind: "almanac" } });
    expect(result.body.days).toHaveLength(100);
  });

  test("defaults are settled at the start, so that a job taken up a year later is the same job", async () => {
    const before = await openAtlas({ clock: { now: () => Date.UTC(2023, 11, 31) } });
    const { body: job } = await before.post("/reports/almanac", { ...lisbon, days: 2 });
    await before.close();
    await using after = await openAtlas({ clock: { now: () => Date.UTC(2024, 0, 1) } });

    const { body } = await after.get(`/jobs/${job.id}/result`);

    expect(body.days[0].date).toBe("2023-01-01");
  });

  test("an atlas started anew does not compute a job that it is told to stop", async () => {
    const before = await openAtlas();
    const { body: job } = await before.post("/reports/time-zones", wholeWorldFor200Years);
    await before.close();
    await using after = await openAtlas();

    const stopped = await after.delete(`/jobs/${job.id}`);
    const view = await after.get(`/jobs/${job.id}`);

    expect(stopped).toMatchObject({ status: 200, body: { state: "stopped" } });
    expect(view.body.state).toBe("stopped");
  });

  test("two jobs with the same input are two jobs", async () => {
    await using atlas = await openAtlas();

    const one = await atlas.post("/reports/almanac", { ...lisbon, days: 1 });
    const other = await atlas.post("/reports/almanac", { ...lisbon, days: 1 });

    expect(one.body.id).not.toBe(other.body.id);
  });

  test("two starts with one idempotency key are one job, also after a restart", async () => {
    const input = { ...lisbon, start: "2024-01-01", days: 1 };
    const before = await openAtlas();
    const one = await before.post("/reports/almanac", input, { "idempotency-key": "run-1" });
    const again = await before.post("/reports/almanac", input, { "idempotency-key": "run-1" });
    await before.close();
    await using after = await openAtlas();

    const later = await after.post("/reports/almanac", input, { "idempotency-key": "run-1" });

    expect(again.body.id).toBe(one.body.id);
    expect(later.body.id).toBe(one.body.id);
  });

  test.each([
    ["nonsense", "nonsense"],
    ["an unknown report", encode({ kind: "populations", input: {}, nonce: "n" })],
    ["an input out of range", encode({ kind: "almanac", input: { ...lisbon, days: 1_000_000 }, nonce: "n" })],
    ["an input of another shape", encode({ kind: "time-zones", input: null, nonce: "n" })],
    ["a name that every object has", encode({ kind: "constructor", input: {}, nonce: "n" })],
  ])("an id made of %s is no job", async (_, id) => {
    await using atlas = await openAtlas();

    const reply = await atlas.get(`/jobs/${id}`);

    expect(reply.status).toBe(404);
  });
});

function encode(content: unknown): string {
  return Buffer.from(JSON.stringify(content)).toString("base64url");
}
