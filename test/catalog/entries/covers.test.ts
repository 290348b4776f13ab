import { describe, expect, test } from "vitest";
import { dayNumber, dayOf } from "../../../daemon/catalog/entries/covered-days.ts";
import { mergeEndpoint } from "../../../daemon/catalog/entries/merge-endpoint.ts";
import { Manifest } from "../../../daemon/manifest/manifest.ts";
import { endpoint, manifest } from "../catalog-folder.ts";

const day = (written: string) => dayNumber(Date.parse(written));
const TODAY = day("2026-11-22");

describe("the days of a covered period", () => {
  test.each([
    ["2020", "from", "2020-01-01"],
    ["2020", "to", "2020-12-31"],
    ["2020-02", "to", "2020-02-29"],
    ["2020-12", "to", "2020-12-31"],
    ["1995-06-16", "from", "1995-06-16"],
    ["1995-06-16", "to", "1995-06-16"],
    ["today", "to", "2026-11-22"],
    ["+16 days", "to", "2026-12-08"],
    ["-1 day", "from", "2026-11-21"],
  ] as const)("%s as its %s is %s", (written, end, expected) => {
    expect(dayOf(written, end, TODAY)).toBe(day(expected));
  });

  test.each(["2021-13", "2021-02-30", "2021-00"])("%s is none", (written) => {
    expect(dayOf(written, "from", TODAY)).toBeNaN();
    expect(dayOf(written, "to", TODAY)).toBeNaN();
  });
});

describe("what an endpoint covers", () => {
  const covered = (own: Record<string, unknown>) => {
    const parsed = Manifest.parse(
      manifest({
        covers: { regions: ["CA"], languages: ["en", "fr"] },
        endpoints: { "/items/{id}": endpoint(own) },
      }),
    );
    const [[path, authored] = ["", undefined]] = Object.entries(parsed.endpoints);
    return authored === undefined ? undefined : mergeEndpoint(parsed, path, authored).covers;
  };

  test("is what its provider covers", () => {
    expect(covered({})).toEqual({ regions: ["CA"], languages: ["en", "fr"] });
  });

  test("is its own member by member, and a year may be a number", () => {
    expect(covered({ covers: { regions: "world", period: { from: 1940, to: "today" } } })).toEqual({
      regions: "world",
      period: { from: "1940", to: "today" },
      languages: ["en", "fr"],
    });
  });
});
