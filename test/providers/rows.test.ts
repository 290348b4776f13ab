import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCsv, readNdjson } from "../../daemon/providers/sending/rows-answer.ts";
import type { ProviderAnswer } from "../../daemon/providers/protocol/provider.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { openHttpProvider } from "../support/open-http-provider.ts";
import { entryOf } from "../support/provider-entry.ts";
import { anyText } from "../support/any-text.ts";

const csv = async (text: string, delimiter = ",") => await readCsv(text, { delimiter });

describe("CSV", () => {
  test("is rows by the names of its first line, with texts as they stand", async () => {
    const { value, notes } = await csv('\uFEFFid, name\r\n007,"Lisbon, ""city"""\r\n\r\n8,"two\nlines"\r\n');

    expect(value).toEqual([
      { id: "007", name: 'Lisbon, "city"' },
      { id: "8", name: "two\nlines" },
    ]);
    expect(notes).toEqual([]);
  });

  test("may have another character between its values", async () => {
    expect((await csv("a;b\n1,5;2", ";")).value).toEqual([{ a: "1,5", b: "2" }]);
  });

  test("with lines that cannot be read has the others, and a note says which are left out", async () => {
    const { value, notes } = await csv("a,b\n1,2\n3\n4,5,6\n7,8\n");

    expect(value).toEqual([
      { a: "1", b: "2" },
      { a: "7", b: "8" },
    ]);
    expect(notes).toEqual(["Left out, as they cannot be read: lines 3, 4 of the answer"]);
  });

  test.each([
    ["a,b\n1\n2\n", /no line of the answer can be read: lines 2, 3 broken/],
    ["a,a\n1,2\n", /the column "a" twice/],
  ])("such as %j is no answer", async (text, message) => {
    await expect(csv(text)).rejects.toThrow(message);
  });

  test("with more columns than a spreadsheet has is refused", async () => {
    const names = Array.from({ length: 16_385 }, (_, index) => `c${index}`).join(",");

    await expect(csv(`${names}\n`)).rejects.toThrow(/16385 columns; at most 16384 are read/);
  });

  test("of which more than a thousand lines are broken is refused, as each takes long", async () => {
    await expect(csv(`a,b\n1,2\n${"3\n".repeat(1_001)}`)).rejects.toThrow(/more than 1000 lines are broken/);
    expect((await csv(`a,b\n1,2\n${"3\n".repeat(1_000)}`)).value).toHaveLength(1);
  });

  test("with a header alone has no rows", async () => {
    expect((await csv("a,b\n")).value).toEqual([]);
  });

  test("with more values than an answer may have is refused", async () => {
    await expect(readCsv("a,b\n1,2\n3,4\n", { delimiter: ",", maxValues: 6 })).rejects.toThrow(/7 values/);
  });

  test("of any values is read as it was written", async () => {
    const field = anyText().map((text) => text.replaceAll(/\r|\p{Surrogate}/gu, ""));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(field, field), { minLength: 1 }), async (rows) => {
        const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
        const text = ["a,b", ...rows.map((row) => row.map(quoted).join(","))].join("\n");
        expect((await csv(text)).value).toEqual(rows.map(([a, b]) => ({ a, b })));
      }),
    );
  });
});

describe("newline-delimited JSON", () => {
  test("is a row for each line, with numbers as they were written", async () => {
    const { value, notes } = await readNdjson('{"id":9007199254740993}\r\n\n[1]\n"text"\n');

    expect(value).toEqual([{ id: "9007199254740993" }, [1], "text"]);
    expect(notes).toEqual([expect.stringContaining("as the provider wrote them")]);
  });

  test("with lines that are none has the others, and a note says which are left out", async () => {
    const { value, notes } = await readNdjson('{"a":1}\n1],[2\n{"a":\n{"a":2}');

    expect(value).toEqual([{ a: 1 }, { a: 2 }]);
    expect(notes).toEqual(["Left out, as they cannot be read: lines 2, 3 of the answer"]);
  });

  test("without a line that can be read is no answer", async () => {
    await expect(readNdjson("<html>")).rejects.toThrow(/no line of the answer can be read: line 1 broken/);
  });
});

describe("an endpoint whose answers are rows", () => {
  const entry = (url: string, media: string) =>
    entryOf(`
mkt: 1
provider: rows
http: {baseUrl: "${url}", allowPrivateNetwork: true}
endpoints:
  /rows:
    request: {method: GET}
    output: {media: ${media}}
    usage: {count: $, estimate: {max: 100}}
    price: {type: PER_RESULT, amount: 0.01}
    pages: {items: $, next: header:link}
`);
  const runId = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
  const anyTime = { signal: new AbortController().signal };

  test.each([
    ["csv", "a\n1\n2\n", "a\n3\n", [{ a: "1" }, { a: "2" }, { a: "3" }]],
    ["ndjson", '{"a":1}\n{"a":2}\n', '{"a":3}\n', [{ a: 1 }, { a: 2 }, { a: 3 }]],
  ])("%s: counts them, and reads them page by page", async (media, first, second, output) => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("GET /rows", { text: first, headers: { link: '</rows/2>; rel="next"' } });
    vendor.on("GET /rows/2", { text: second });

    const answer = (await provider.start(
      { runId, entry: entry(vendor.url, media), input: {} },
      anyTime,
    )) as ProviderAnswer;

    expect(answer.output).toEqual(output);
    expect(answer.measured).toEqual({ count: 3, calls: 2 });
  });

  test("gives the provider's words where it is an error", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("GET /rows", { status: 500, json: { message: "boom" } });

    const answer = await provider.start({ runId, entry: entry(vendor.url, "csv"), input: {} }, anyTime);

    expect(answer).toMatchObject({ success: false, error: { message: "boom" } });
  });
});
