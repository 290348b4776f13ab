import { describe, expect, test } from "vitest";
import { withoutOpaqueForms, writtenForms } from "../../../../daemon/discovery/ranking/query/written-forms.ts";

describe("what a thing is, by its writing", () => {
  test.each([
    ["from what town is 203.0.113.9", "ip"],
    ["who announces 203.0.113.0/24", "prefix"],
    ["who built upon 10.1371/journal.pone.0033693", "doi"],
    ["sugar in 3017620422003", "barcode"],
    ["is 978-0-13-468599-1 still in print", "isbn"],
    ["is example.org still theirs", "domain"],
    ["what stands on https://example.org/a?b=c.", "web page"],
    ["can ana@example.com be reached", "email address"],
    ["whose is +49 30 1234567", "phone number"],
    ["how bad is CVE-2021-44228", "vulnerability"],
    ["may I take part in NCT04280705", "clinical study"],
    ["who is 0000-0002-1825-0097", "orcid"],
    ["who runs AS3333", "autonomous system"],
    ["who empties the bins at SW1A 1AA", "postcode"],
    ["is LH400 late", "flight"],
    ["is lodash 4.17.15 safe", "version"],
  ])("%s: %s", (q, kind) => {
    expect(writtenForms(q).map(({ called }) => called[0])).toEqual([kind]);
  });

  test.each([
    "rain in Rome on 3.5.2024 and 7 km away",
    "22 degrees, 48.85, 2.29",
    "the A3 and CO2",
    "add 1.5 to 20,000",
  ])("%s: nothing known", (q) => {
    expect(writtenForms(q).filter(({ called }) => called[0] !== "version")).toEqual([]);
  });
});

test("letters and digits of such a thing are no words, but those of names are", () => {
  expect(withoutOpaqueForms("who built upon 10.1371/journal.pone.0033693?").trim()).toBe("who built upon  ?");
  expect(withoutOpaqueForms("mail of ana@example.com, site of shop.example.co.uk")).toBe(
    "mail of ana@example.com, site of shop.example",
  );
  expect(withoutOpaqueForms("rain in Rome")).toBe("rain in Rome");
});
