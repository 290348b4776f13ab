import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { setJsonMember } from "../../../cli/mcp/install/jsonc-edit.ts";

const entry = { command: "node", args: ["mcp"] };

describe("a server put into JSON with comments", () => {
  test.each([
    [
      "no text at all",
      "",
      '{\n  "mcpServers": {\n    "mkt": {\n      "command": "node",\n      "args": [\n        "mcp"\n      ]\n    }\n  }\n}\n',
    ],
    [
      "comments and a comma at the end stay",
      '// mine\n{\n  "theme": "dark", // of course\n  "mcpServers": {\n    /* the other */\n    "other": { "command": "x" },\n  },\n}\n',
      '// mine\n{\n  "theme": "dark", // of course\n  "mcpServers": {\n    /* the other */\n    "other": {\n      "command": "x"\n    },\n    "mkt": {\n      "command": "node",\n      "args": [\n        "mcp"\n      ]\n    },\n  },\n}\n',
    ],
    [
      "a comment behind the last member stays behind it",
      '{\n\t"a": 1 // one, with a comma\n}',
      '{\n\t"a": 1,\n\t"mcpServers": {\n\t\t"mkt": {\n\t\t\t"command": "node",\n\t\t\t"args": [\n\t\t\t\t"mcp"\n\t\t\t]\n\t\t}\n\t} // one, with a comma\n}',
    ],
    [
      "an entry that is there is replaced, its neighbours are not",
      '{"mcpServers":{"mkt":{"command":"old"},"z":{"command":"z"}}}',
      '{"mcpServers":{"mkt":{\n      "command": "node",\n      "args": [\n        "mcp"\n      ]\n    },"z":{"command":"z"}}}',
    ],
    [
      "an empty object with a comment keeps it",
      '{\n  "mcpServers": {\n    // none yet\n  }\n}\n',
      '{\n  "mcpServers": {\n    "mkt": {\n      "command": "node",\n      "args": [\n        "mcp"\n      ]\n    }\n    // none yet\n  }\n}\n',
    ],
  ])("%s", (_, before, after) => {
    expect(setJsonMember(before, ["mcpServers", "mkt"], entry)).toBe(after);
  });

  test("twice is the same as once", () => {
    const once = setJsonMember('{ "a": [1, 2] }', ["mcpServers", "mkt"], entry);

    expect(setJsonMember(once, ["mcpServers", "mkt"], entry)).toBe(once);
  });

  test.each([
    ["no JSON", "hello"],
    ["an end that is missing", '{"a": 1'],
    ["something after the end", "{} {}"],
    ["a list in place of an object", "[]"],
    ["servers that are no object", '{"mcpServers": []}'],
    ["single quotes", "{'a': 1}"],
  ])("%s is refused", (_, text) => {
    expect(() => setJsonMember(text, ["mcpServers", "mkt"], entry)).toThrow(SyntaxError);
  });

  test("whatever else is in the file is as it was", () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(object, object, fc.constantFrom(undefined, 2, "\t"), (root, servers, indent) => {
        const { mcpServers: _, ...others } = root as Record<string, unknown>;
        const before = JSON.stringify({ ...others, mcpServers: servers }, null, indent);

        const after = setJsonMember(before, ["mcpServers", "mkt"], entry);

        const read = JSON.parse(after);
        expect(read.mcpServers.mkt).toEqual(entry);
        expect({ ...read, mcpServers: { ...read.mcpServers, mkt: undefined } }).toEqual(
          JSON.parse(JSON.stringify({ ...others, mcpServers: { ...servers, mkt: null } }), (key, value) =>
            key === "mkt" && value === null ? undefined : value,
          ),
        );
      }),
      { numRuns: 200 },
    );
  });
});
