import { describe, expect, test } from "vitest";
import { openAtlas } from "../support/open-atlas.ts";

const lisbon = { latitude: 38.7223, longitude: -9.1393 };
const porto = { latitude: 41.1579, longitude: -8.6291 };
const madrid = { latitude: 40.4168, longitude: -3.7038 };

describe("distances", () => {
  test("from Lisbon to Porto it is some 274 kilometres", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.post("/distance", { points: [lisbon, porto] });

    expect(body.totalMeters / 1000).toBeGreaterThan(272);
    expect(body.totalMeters / 1000).toBeLessThan(276);
    expect(body.waypoints).toEqual([]);
    expect(body).not.toHaveProperty("area");
  });

  test("there and back is equally far", async () => {
    await using atlas = await openAtlas();

    const there = await atlas.post("/distance", { points: [lisbon, porto] });
    const back = await atlas.post("/distance", { points: [porto, lisbon] });

    expect(back.body.totalMeters).toBe(there.body.totalMeters);
  });

  test("a path is as long as its legs", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.post("/distance", { points: [lisbon, porto, madrid] });

    const legs: { meters: number }[] = body.legs;
    expect(legs).toHaveLength(2);
    expect(body.totalMeters).toBeCloseTo(
      legs.reduce((sum, leg) => sum + leg.meters, 0),
      2,
    );
  });

  test("points along the way lie at even distances", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.post("/distance", { points: [lisbon, porto], waypoints: 4 });
    const through = await atlas.post("/distance", { points: [lisbon, ...body.waypoints, porto] });

    for (const leg of through.body.legs) expect(leg.meters).toBeCloseTo(body.totalMeters / 5, 0);
    expect(through.body.totalMeters).toBeCloseTo(body.totalMeters, 0);
  });

  test("the area does not depend on the direction of travel", async () => {
    await using atlas = await openAtlas();

    const one = await atlas.post("/distance", { points: [lisbon, porto, madrid], area: true });
    const other = await atlas.post("/distance", { points: [madrid, porto, lisbon], area: true });

    expect(one.body.area.squareMeters).toBeGreaterThan(1e10);
    expect(other.body.area.squareMeters).toBeCloseTo(one.body.area.squareMeters, 0);
  });

  test("points on opposite sides of the earth are half its girth apart", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.post("/distance", {
      points: [
        { latitude: 90, longitude: 0 },
        { latitude: -90, longitude: 0 },
      ],
    });

    expect(Math.round(body.totalMeters / 1000)).toBe(20_004);
  });

  test("the same point twice is no distance", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.post("/distance", { points: [lisbon, lisbon], waypoints: 1 });

    expect(body.totalMeters).toBe(0);
    expect(body.waypoints).toEqual([lisbon]);
  });

  test("a single point is no path", async () => {
    await using atlas = await openAtlas();

    const { status, body } = await atlas.post("/distance", { points: [lisbon] });

    expect(status).toBe(422);
    expect(body.error.message).toContain("points");
  });
});

test("whoever goes the distance in the direction arrives", async () => {
  await using atlas = await openAtlas();
  const { body: path } = await atlas.post("/distance", { points: [lisbon, porto] });

  const { body } = await atlas.get("/destination", {
    ...lisbon,
    bearing: path.legs[0].initialBearing,
    meters: path.totalMeters,
  });

  expect(body.latitude).toBeCloseTo(porto.latitude, 3);
  expect(body.longitude).toBeCloseTo(porto.longitude, 3);
});
