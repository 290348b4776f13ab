import { describe, expect, test } from "vitest";
import { dayNumber } from "../../../../daemon/catalog/entries/covered-days.ts";
import type { EndpointShape } from "../../../../daemon/discovery/documents/endpoint-shape.ts";
import { readIntents } from "../../../../daemon/discovery/ranking/query/intents.ts";
import { fitShape, NO_SHAPE } from "../../../../daemon/discovery/ranking/signals/shape-fit.ts";

const TODAY = dayNumber(Date.parse("2026-11-22"));

function fit(q: string, shape: Partial<EndpointShape>) {
  const plain = {
    takes: new Set<never>(),
    needsId: false,
    needsTitle: false,
    needsCoordinates: false,
    effect: "reads",
    covers: {},
  } as const;
  return fitShape(readIntents(q, TODAY), { ...plain, ...shape }, TODAY);
}

describe("what an endpoint covers", () => {
  const covers = { regions: ["US"], period: { from: "today", to: "+7 days" } };

  test.each([
    ["weather in Madrid", 1],
    ["weather in Madrid on 3 March 1999", 2],
    ["weather in Chicago on 3 March 1999", 1],
    ["weather in Chicago tomorrow", 0],
    ["weather", 0],
  ])("%s: %i of its limits are passed", (q, uncovered) => {
    expect(fit(q, { covers }).uncovered).toBe(uncovered);
  });

  test("is a language too", () => {
    expect(fit("news in Spanish", { covers: { languages: ["en"] } }).uncovered).toBe(1);
    expect(fit("news in Spanish", { covers: { languages: ["en", "es"] } }).uncovered).toBe(0);
    expect(fit("news", { covers: { languages: ["en"] } }).uncovered).toBe(0);
  });

  test("is not judged where its author does not say it", () => {
    expect(fit("weather in Madrid on 3 March 1999", {}).uncovered).toBe(0);
    expect(fit("weather in Madrid", { covers: { regions: "world" } }).uncovered).toBe(0);
  });
});

test("an endpoint that needs an identifier lacks it, unless the query may have one", () => {
  expect(fit("papers about graphene", { needsId: true }).lacksId).toBe(true);
  expect(fit("the paper W2741809807", { needsId: true }).lacksId).toBe(false);
  expect(fit("papers about graphene", {}).lacksId).toBe(false);
});

test("an endpoint that finds one thing by its title lacks it where the query says what it is about", () => {
  const byTitle = { needsTitle: true, takes: new Set(["text"] as const) };

  expect(fit("papers about graphene", byTitle)).toMatchObject({ lacksId: true, searches: false });
  expect(fit('the paper "On computable numbers"', byTitle).lacksId).toBe(false);
  expect(fit("papers about graphene", { takes: new Set(["text"] as const) })).toMatchObject({ searches: true });
});

test("an endpoint takes what the query brings", () => {
  expect(fit("where is 203.0.113.9", { takes: new Set(["ip"] as const) }).takesBrought).toBe(1);
  expect(fit("where is 203.0.113.9", { takes: new Set(["email"] as const) }).takesBrought).toBe(0);
});

test("an endpoint that needs coordinates does not tell them", () => {
  expect(fit("coordinates of the Louvre", { needsCoordinates: true }).takesWanted).toBe(1);
  expect(fit("what is at 48.86, 2.33", { needsCoordinates: true }).takesWanted).toBe(0);
});

test("showing is no deleting, and deleting no showing", () => {
  expect(fit("show my albums", { effect: "deletes" }).otherEffect).toBe(1);
  expect(fit("show my albums", { effect: "updates" }).otherEffect).toBe(0);
  expect(fit("delete the key", { effect: "reads" }).otherEffect).toBe(1);
  expect(fit("delete the key", { effect: "deletes" }).otherEffect).toBe(0);
  expect(fit("delete the key", { effect: "creates" }).otherEffect).toBe(1);
  expect(fit("create a key", { effect: "reads" }).otherEffect).toBe(0);
  expect(fit("create a key", { effect: "any" }).otherEffect).toBe(0);
  expect(fit("show my albums", { effect: "updates" }).otherOrder).toBe(0);
  expect(fit("show my albums", { effect: "updates", byMethod: "updates" }).otherOrder).toBe(1);
  expect(fit("show my keys", { effect: "any" }).otherEffect).toBe(0);
  expect(fit("delete the key", { effect: "any" }).otherEffect).toBe(0);
  expect(fit("delete the key", { effect: "any" }).otherOrder).toBe(1);
});

test("nothing is said of an endpoint without a shape", () => {
  expect(fitShape(readIntents("weather in Madrid", TODAY), undefined, TODAY)).toEqual(NO_SHAPE);
});
