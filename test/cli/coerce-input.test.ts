import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CliError } from "../../cli/core/cli-error.ts";
import { coerceInput, type InputTarget } from "../../cli/input/coerce-input.ts";

const endpoint: InputTarget = {
  provider: "demo",
  endpoint: "/search/{city}",
  method: "POST",
  input: {
    pathParams: { type: "object", properties: { city: { type: "string" }, id: { type: "string" } } },
    queryParams: {
      type: "object",
      properties: {
        days: { type: "integer" },
        factor: { type: "number" },
        detailed: { type: "boolean" },
        zip: { type: ["string", "null"] },
        limit: { type: ["integer", "null"] },
        level: { enum: [1, 2, "high"] },
        id: { type: "string" },
      },
    },
    body: {
      type: "object",
      properties: {
        words: { type: "array", items: { type: "string" } },
        numbers: { type: "array", items: { $ref: "#/$defs/count" } },
        filter: { type: "object" },
        either: { anyOf: [{ type: "integer" }, { type: "boolean" }] },
        referred: { $ref: "#/$defs/count" },
        anything: {},
      },
      $defs: { count: { type: "integer" } },
    },
  },
};

function inputOf(...words: string[]): unknown {
  return coerceInput(endpoint, { words });
}

describe("key=value", () => {
  test.each([
    ["text stays text", ["city=Oslo"], { pathParams: { city: "Oslo" } }],
    ["text that looks like a number stays text", ["city=0123"], { pathParams: { city: "0123" } }],
    ["an equals sign in the value is part of it", ["city=a=b"], { pathParams: { city: "a=b" } }],
    ["empty text is a value", ["city="], { pathParams: { city: "" } }],
    ["an integer", ["days=-3"], { queryParams: { days: -3 } }],
    ["a number with an exponent", ["factor=1.5e3"], { queryParams: { factor: 1500 } }],
    ["a boolean", ["detailed=false"], { queryParams: { detailed: false } }],
    ["text where text or null would do", ["zip=null"], { queryParams: { zip: "null" } }],
    ["null where a number or null would do", ["limit=null"], { queryParams: { limit: null } }],
    ["a listed number", ["level=2"], { queryParams: { level: 2 } }],
    ["a listed text", ["level=high"], { queryParams: { level: "high" } }],
    ["a repeated key is a list", ["words=a", "words=b"], { body: { words: ["a", "b"] } }],
    ["one word for a list is a list of one", ["words=a"], { body: { words: ["a"] } }],
    ["a list in JSON", ["numbers=[1, 2]"], { body: { numbers: [1, 2] } }],
    ["items of a list by their schema", ["numbers=1", "numbers=2"], { body: { numbers: [1, 2] } }],
    ["an object in JSON", ['filter={"a": 1}'], { body: { filter: { a: 1 } } }],
    ["the alternative that fits", ["either=true"], { body: { either: true } }],
    ["a type behind a reference", ["referred=7"], { body: { referred: 7 } }],
    ["text where the schema says nothing", ["anything=5"], { body: { anything: "5" } }],
    ["what nobody declares goes into the body", ["extra=5"], { body: { extra: "5" } }],
    ["JSON is taken literally", ['city:={"a": [1]}'], { pathParams: { city: { a: [1] } } }],
    ["repeated JSON is a list", ["anything:=1", "anything:=null"], { body: { anything: [1, null] } }],
    ["a member with a dangerous name", ["__proto__:=1"], { body: JSON.parse('{"__proto__": 1}') }],
  ])("%s", (_what, words, expected) => {
    expect(inputOf(...words)).toEqual(expected);
  });

  test("goes where the flag says", () => {
    const input = coerceInput(endpoint, { words: [], path: ["id=1"], query: ["id=2", "days=3"], body: ["id:=4"] });

    expect(input).toEqual({ pathParams: { id: "1" }, queryParams: { id: "2", days: 3 }, body: { id: 4 } });
  });

  test.each([
    ["a word for an integer", ["days=many"], 5, 'Input "days" must be an integer, but "many" came.'],
    ["a fraction for an integer", ["days=1.5"], 5, 'Input "days" must be an integer, but "1.5" came.'],
    [
      "an integer too large to be exact",
      ["days=9007199254740993"],
      5,
      'Input "days" has the number 9007199254740993, which JavaScript cannot',
    ],
    ["an id of 64 bits inside of JSON", ['city:={"id":9007199254740993}'], 5, "the number 9007199254740993 at $.id"],
    ["a number that overflows", ["factor=1e999"], 5, "the number 1e999, which JavaScript cannot"],
    ["a hexadecimal number", ["factor=0x10"], 5, "must be a number"],
    ["yes for a boolean", ["detailed=yes"], 5, "must be a boolean (true or false)"],
    ["two words for one number", ["days=1", "days=2"], 5, "was given 2 times"],
    ["JSON that is none", ["city:={"], 5, 'Input "city" must be JSON after ":="'],
    ["a key that two places have", ["id=1"], 5, "--path id=… or --query id=…"],
    ["a word without a key", ["Oslo"], 2, '"Oslo" is not input'],
    ["a word with an empty key", ["=Oslo"], 2, "is not input"],
  ])("refuses %s", (_what, words, exitCode, message) => {
    const error = catchError(() => inputOf(...words));

    expect(error.message).toContain(message);
    expect(error.exitCode).toBe(exitCode);
  });

  test("names what is near when a GET endpoint does not know a key", () => {
    const get = { ...endpoint, method: "GET", input: { queryParams: endpoint.input?.queryParams ?? {} } };

    const error = catchError(() => coerceInput(get, { words: ["dayz=1"] }));

    expect(error.message).toContain('has no input "dayz". Did you mean days? It takes days, factor');
    expect(error.next).toBe("mkt inspect 'demo/search/{city}'");
  });

  test("survives schemas that refer to themselves", () => {
    const loop = {
      $ref: "#/$defs/loop",
      properties: { a: { $ref: "#/properties/a" } },
      $defs: { loop: { $ref: "#" } },
    };

    expect(coerceInput({ ...endpoint, input: { body: loop } }, { words: ["a=1"] })).toEqual({ body: { a: "1" } });
  });

  test("gives back every value that was written as JSON or by its schema", () => {
    const scalars = fc.record({
      city: fc.string(),
      days: fc.maxSafeInteger(),
      factor: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
      detailed: fc.boolean(),
      anything: fc.jsonValue(),
    });
    fc.assert(
      fc.property(scalars, ({ city, days, factor, detailed, anything }) => {
        const json = JSON.stringify(anything);
        const input = inputOf(
          `city=${city}`,
          `days=${days}`,
          `factor=${factor}`,
          `detailed=${detailed}`,
          `anything:=${json}`,
        );
        expect(input).toEqual({
          pathParams: { city },
          queryParams: { days, factor, detailed },
          body: { anything: JSON.parse(json) },
        });
      }),
    );
  });

  test("refuses or accepts any words, and never breaks", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (words) => {
        try {
          inputOf(...words);
        } catch (error) {
          expect(error).toBeInstanceOf(CliError);
        }
      }),
    );
  });
});

function catchError(task: () => unknown): CliError {
  try {
    task();
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}
