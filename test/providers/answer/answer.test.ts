import { describe, expect, test } from "vitest";
import { ErrorRule } from "../../../daemon/manifest/manifest.ts";
import { judge } from "../../../daemon/providers/answer/error-rules.ts";
import { shapeOutput } from "../../../daemon/catalog/entries/shape-output.ts";

function verdictOf(status: number, body: unknown, rules: readonly unknown[] = []) {
  return judge(
    { status, body, headers: { "x-error": "from a header" } },
    rules.map((rule) => ErrorRule.parse(rule)),
  );
}

describe("without rules", () => {
  test.each([
    [200, true],
    [204, true],
    [299, true],
    [301, false],
    [304, false],
    [400, false],
    [404, false],
    [500, false],
  ])("an answer of %s is a success: %s", (status, success) => {
    expect(verdictOf(status, null)).toMatchObject({ httpStatus: status, success, empty: false });
  });

  test.each([
    [{ error: { message: "no city" } }, "no city"],
    [{ error: "no city" }, "no city"],
    [{ message: "no city" }, "no city"],
    [{ detail: "no city" }, "no city"],
    [{ errors: [{ message: "no city" }] }, "no city"],
    ["no city", "no city"],
    ["<html>oops</html>", "The provider answered 404"],
    [null, "The provider answered 404"],
    [{ error: { code: 7 } }, "The provider answered 404"],
  ])("the words of an error are found in %j", (body, message) => {
    expect(verdictOf(404, body).message).toBe(message);
  });
});

describe("an error rule", () => {
  test("that matches first wins", () => {
    const rules = [
      { when: { status: ["4xx"] }, as: { message: "first" } },
      { when: { status: [404] }, as: { message: "second" } },
    ];

    expect(verdictOf(404, null, rules).message).toBe("first");
  });

  test("matches a value or one of several, by type", () => {
    const rules = [{ when: { match: { "$.cod": ["404", 404] } }, as: { status: 404 } }];

    expect(verdictOf(200, { cod: "404" }, rules)).toMatchObject({ httpStatus: 404, success: false });
    expect(verdictOf(200, { cod: 404 }, rules)).toMatchObject({ httpStatus: 404 });
    expect(verdictOf(200, { cod: 200 }, rules)).toMatchObject({ httpStatus: 200, success: true });
  });

  test("can ask that something is missing", () => {
    const rules = [{ when: { status: ["2xx"], missing: ["$.data"] }, as: { status: 502, message: "no data" } }];

    expect(verdictOf(200, { data: null }, rules)).toMatchObject({ httpStatus: 502, message: "no data" });
    expect(verdictOf(200, { data: [] }, rules)).toMatchObject({ success: true });
  });

  test("can take its message from the answer", () => {
    expect(verdictOf(500, null, [{ when: {}, as: { message: "header:x-error" } }]).message).toBe("from a header");
  });

  test("can make a not-found an empty success", () => {
    const rules = [{ when: { status: [404] }, as: { empty: true } }];

    expect(verdictOf(404, null, rules)).toMatchObject({ httpStatus: 200, success: true, empty: true });
  });

  test("can say whether to try again", () => {
    expect(verdictOf(500, null, [{ when: {}, as: { retry: true } }]).retry).toBe(true);
  });
});

describe("the output", () => {
  const body = { items: [{ id: 1, raw: "x", meta: { big: 1, small: 2 } }], raw: "y", total: 1 };

  test.each([
    ["the whole answer", {}, body],
    ["the selected part", { select: "$.items[0].id" }, 1],
    ["nothing when the selected part is not there", { select: "$.none" }, undefined],
    ["without a field of every item", { select: "$.items", omit: ["raw"] }, [{ id: 1, meta: { big: 1, small: 2 } }]],
    ["without a deeper field", { select: "$.items", omit: ["raw", "meta.big"] }, [{ id: 1, meta: { small: 2 } }]],
    ["without a place of the whole answer", { omit: ["$.items", "$.total"] }, { raw: "y" }],
    ["without a list member", { select: "$.items", omit: ["$.items[0]"] }, []],
  ])("is %s", (_, output, expected) => {
    expect(shapeOutput({ omit: [], media: "auto", ...output }, body)).toEqual(expected);
  });

  test("leaves the answer itself as it was", () => {
    shapeOutput({ select: "$.items", omit: ["raw"], media: "auto" }, body);

    expect(body.items[0]).toHaveProperty("raw");
  });
});
