import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type LoadedThesaurus, loadThesaurusFiles } from "../../../daemon/catalog/thesaurus/thesaurus-file.ts";
import { compileThesaurus, type Thesaurus } from "../../../daemon/discovery/thesaurus/compile-thesaurus.ts";
import { expandWords } from "../../../daemon/discovery/thesaurus/expand-words.ts";
import { analyseQuery } from "../../../daemon/text/analyse-text.ts";
import { bundledCatalogDir } from "../../support/bundled-catalog.ts";

let loaded: LoadedThesaurus;
let thesaurus: Thesaurus;

beforeAll(async () => {
  loaded = await loadThesaurusFiles([join(bundledCatalogDir, "thesaurus.yaml")], { inspect: true });
  thesaurus = compileThesaurus(loaded.data);
});

const textsFor = (query: string) => expandWords(analyseQuery(query), thesaurus).map(({ text }) => text);

describe("the bundled thesaurus", () => {
  test("passes the check, every term of it", () => {
    expect(loaded.problems).toEqual([]);
    expect(new Set(loaded.data.map(({ domain }) => domain)).size).toBeGreaterThanOrEqual(30);
  });

  test("says nothing twice of the same words with different weights", () => {
    const weights = new Map<string, Set<number>>();
    for (const { asked, called, weight } of loaded.data) {
      for (const term of asked) {
        for (const target of called) {
          const pair = `${stemsOf(term)} → ${stemsOf(target)}`;
          if (stemsOf(term) !== stemsOf(target)) weights.set(pair, (weights.get(pair) ?? new Set()).add(weight));
        }
      }
    }

    expect([...weights].filter(([, different]) => different.size > 1).map(([pair]) => pair)).toEqual([]);
  });

  test.each([
    ["do I need an umbrella on Friday", "weather"],
    ["how many inhabitants has Iceland", "population"],
    ["who owns this brewery", "beneficial owner"],
    ["how much are 50 euros in pesos", "exchange rate"],
    ["what is a share of Siemens trading at, its share price", "quote"],
    ["zip code of Springfield", "postal code"],
    ["a good movie for tonight", "film"],
    ["planes overhead right now", "aircraft"],
    ["where is this IP address", "geolocation"],
    ["who registered that website, who owns the domain", "whois"],
    ["is this email valid", "email verification"],
    ["who has this phone number", "carrier lookup"],
    ["how many calories has a banana", "nutrition"],
    ["can you turn this podcast into a transcript", "speech to text"],
    ["did the ground shake: an earthquake", "seismic"],
    ["known vulnerabilities of lodash", "cve"],
    ["make a QR code", "barcode"],
    ["picture of a website", "screenshot"],
    ["does my town have burglaries", "crime"],
    ["is there school on that bank holiday", "observance"],
  ])("%s: %s", (query, target) => {
    expect(textsFor(query)).toContain(target);
  });

  test.each([
    ["a stock photo of a dog", "equity"],
    ["weather of New York", "headlines"],
    ["book a flight to Rome", "isbn"],
    ["library for dates in an npm package", "tracking"],
    ["is it safe to take ibuprofen with coffee", "crime"],
    ["which languages are supported", "end of life"],
  ])("%s: not %s", (query, target) => {
    expect(textsFor(query)).not.toContain(target);
  });
});

function stemsOf(term: string): string {
  return analyseQuery(term)
    .map(({ stems }) => stems[0])
    .join(" ");
}
