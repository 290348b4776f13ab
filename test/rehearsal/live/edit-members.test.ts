import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { editMembers, EditRefused } from "../../../daemon/rehearsal/live/edit-members.ts";

const unverified = (path: string) => ({ path: ["endpoints", path], name: "verified", value: undefined });
const response = { status: 200, body: { items: [{ id: 1, text: "a: b # c\nd" }] } };
const recorded = (path: string, index = 0) => ({
  path: ["endpoints", path, "examples", index],
  name: "response",
  value: response,
});

describe("a member is taken out and nothing else is touched", () => {
  const cases: readonly [title: string, before: string, after: string][] = [
    [
      "with its line and the comment on it",
      "endpoints:\n  /a: # first\n    tags: [x]\n    verified: false # not yet\n\n    price: {type: FREE}\n",
      "endpoints:\n  /a: # first\n    tags: [x]\n\n    price: {type: FREE}\n",
    ],
    ["out of braces", "endpoints: {/a: {verified: false, tags: [x]}}\n", "endpoints: {/a: {tags: [x]}}\n"],
    ["out of the end of braces", "endpoints: {/a: {tags: [x], verified: false }}\n", "endpoints: {/a: {tags: [x] }}\n"],
    [
      "out of JSON",
      '{\n  "endpoints": {\n    "/a": {\n      "tags": [],\n      "verified": false\n    }\n  }\n}\n',
      '{\n  "endpoints": {\n    "/a": {\n      "tags": []\n    }\n  }\n}\n',
    ],
    [
      "out of the middle of JSON",
      '{\n  "endpoints": {\n    "/a": {\n      "verified": false,\n      "tags": []\n    }\n  }\n}\n',
      '{\n  "endpoints": {\n    "/a": {\n      "tags": []\n    }\n  }\n}\n',
    ],
    [
      "with the line ends of another system",
      "endpoints:\r\n  /a:\r\n    verified: false\r\n    tags: [x]\r\n",
      "endpoints:\r\n  /a:\r\n    tags: [x]\r\n",
    ],
    ["or is not there at all", "endpoints:\n  /a: {tags: [x]}\n", "endpoints:\n  /a: {tags: [x]}\n"],
  ];

  test.each(cases)("%s", (_title, before, after) => {
    expect(editMembers(before, [unverified("/a")])).toBe(after);
  });

  test("but not where an alias says it for two places", () => {
    const text = "shared: &one {verified: false}\nendpoints:\n  /a: *one\n";

    expect(() => editMembers(text, [unverified("/a")])).toThrow(EditRefused);
  });
});

describe("an answer is written where its example stands", () => {
  test("as lines, before whatever follows", () => {
    const text = "endpoints:\n  /a:\n    examples:\n      - name: one # the first\n        input: {}\n  /b: {}\n";

    const edited = editMembers(text, [recorded("/a")]);

    expect(edited).toMatch(
      /^endpoints:\n {2}\/a:\n {4}examples:\n {6}- name: one # the first\n {8}input: \{\}\n {8}response:\n/,
    );
    expect(edited).toMatch(/\n {2}\/b: \{\}\n$/);
  });

  test("inside of braces and of JSON", () => {
    const braces = editMembers("endpoints: {/a: {examples: [{name: one}]}}\n", [recorded("/a")]);
    const json = editMembers(`${JSON.stringify({ endpoints: { "/a": { examples: [{ name: "one" }] } } }, null, 2)}\n`, [
      recorded("/a"),
    ]);

    expect(parse(braces)).toMatchObject({ endpoints: { "/a": { examples: [{ response }] } } });
    expect(JSON.parse(json)).toMatchObject({ endpoints: { "/a": { examples: [{ response }] } } });
  });

  test("in the place of the one before", () => {
    const text = "endpoints:\n  /a:\n    examples:\n      - response: {status: 404} # old\n        name: one\n";

    expect(parse(editMembers(text, [recorded("/a")]))).toEqual({
      endpoints: { "/a": { examples: [{ response, name: "one" }] } },
    });
  });
});

test("whatever the file looks like, an edit means what was asked for or is refused", () => {
  const json = fc.jsonValue({ maxDepth: 2 });
  const example = fc.record({
    name: fc.string({ minLength: 1 }),
    input: fc.dictionary(fc.string(), json, { maxKeys: 3 }),
  });
  const endpoint = fc.record({
    verified: fc.constant(false),
    note: fc.string(),
    examples: fc.array(example, { minLength: 1, maxLength: 2 }),
  });
  const asText = fc.constantFrom<(value: unknown) => string>(
    (value) => stringify(value),
    (value) => stringify(value, { collectionStyle: "flow" }),
    (value) => JSON.stringify(value, null, 2),
    (value) => JSON.stringify(value),
  );

  fc.assert(
    fc.property(
      fc.dictionary(fc.stringMatching(/^\/[a-z]{1,5}$/), endpoint, { minKeys: 1, maxKeys: 3 }),
      asText,
      json,
      (endpoints, write, body) => {
        const [path = ""] = Object.keys(endpoints);
        const text = write({ endpoints });
        const edits = [unverified(path), { ...recorded(path), value: { status: 200, body } }];
        let edited: string;
        try {
          edited = editMembers(text, edits);
        } catch (error) {
          expect(error).toBeInstanceOf(EditRefused);
          return;
        }
        const after = parse(edited) as { endpoints: typeof endpoints };
        expect(after.endpoints[path]).not.toHaveProperty("verified");
        expect(after.endpoints[path]?.examples[0]).toHaveProperty("response.body");
        expect(Object.keys(after.endpoints)).toEqual(Object.keys(endpoints));
      },
    ),
  );
});
