import { describe, expect, test } from "vitest";
import { hasTomlTable, setTomlTable } from "../../../cli/mcp/install/toml-edit.ts";

const entry = { command: "/usr/bin/node", args: ["/opt/mkt.js", "mcp"] };
const written = '[mcp_servers.mkt]\ncommand = "/usr/bin/node"\nargs = ["/opt/mkt.js", "mcp"]\n';
const set = (text: string) => setTomlTable(text, "mcp_servers", "mkt", entry);

describe("a server put into TOML", () => {
  test.each([
    ["no text at all", "", written],
    ["behind what is there", 'model = "x" # mine\n', `model = "x" # mine\n\n${written}`],
    [
      "in the place of the one that is there, with the tables below it",
      'a = 1\n\n[mcp_servers.mkt]\ncommand = "old"\n\n[mcp_servers.mkt.env]\nX = "1"\n\n# the next\n[tui]\nb = 2\n',
      `a = 1\n\n${written}\n[tui]\nb = 2\n`,
    ],
    [
      "with the names in quotes",
      '["mcp_servers"."mkt"]\ncommand = "old"\n[mcp_servers.other]\ncommand = "o"\n',
      `${written}\n[mcp_servers.other]\ncommand = "o"\n`,
    ],
    [
      "what looks like a header within a long text is none",
      'text = """\n[mcp_servers.mkt]\n"""\n',
      `text = """\n[mcp_servers.mkt]\n"""\n\n${written}`,
    ],
  ])("%s", (_, before, after) => {
    expect(set(before)).toBe(after);
  });

  test("twice is the same as once", () => {
    const once = set("a = 1\n[tui]\nb = 2\n");

    expect(set(once)).toBe(once);
    expect(hasTomlTable(once, "mcp_servers", "mkt")).toBe(true);
    expect(hasTomlTable(once, "mcp_servers", "other")).toBe(false);
  });

  test("environment is a table of its own, with texts escaped", () => {
    const text = setTomlTable("", "mcp_servers", "mkt", { command: 'C:\\n"ode', args: [], env: { "A B": "x\ny" } });

    expect(text).toBe(
      '[mcp_servers.mkt]\ncommand = "C:\\\\n\\"ode"\nargs = []\n\n[mcp_servers.mkt.env]\n"A B" = "x\\ny"\n',
    );
  });

  test.each([
    ["an inline table", "mcp_servers = { mkt = { command = 'x' } }\n"],
    ["dotted names", 'mcp_servers.mkt.command = "x"\n'],
    ["an inline table below the parent", '[mcp_servers]\nmkt = { command = "x" }\n'],
  ])("%s is refused: a second table would contradict it", (_, text) => {
    expect(() => set(text)).toThrow(SyntaxError);
  });
});
