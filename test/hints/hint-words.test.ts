import { describe, expect, test } from "vitest";
import type { HintTarget } from "../../shared/contract/hints.ts";
import { renderApi } from "../../shared/hints/api.ts";
import { renderMcp } from "../../shared/hints/mcp.ts";
import { renderMonid } from "../../shared/hints/monid.ts";
import { renderHints } from "../../shared/hints/render-hints.ts";
import { renderShell } from "../../shared/hints/shell.ts";

interface Row {
  title: string;
  target: HintTarget;
  shell: string | undefined;
  monid: string | undefined;
  api: string | undefined;
  mcp: string | undefined;
}

const rows: Row[] = [
  {
    title: "looking for something",
    target: { kind: "discover", query: "weather in Lisbon" },
    shell: "mkt discover 'weather in Lisbon'",
    monid: 'monid discover -q "weather in Lisbon"',
    api: 'POST /v1/discover {"q":"weather in Lisbon"}',
    mcp: 'discover {"query":"weather in Lisbon"}',
  },
  {
    title: "inspecting an endpoint",
    target: { kind: "inspect", provider: "atlas", endpoint: "/time/convert" },
    shell: "mkt inspect atlas/time/convert",
    monid: "monid inspect -p atlas -e /time/convert",
    api: 'POST /v1/inspect {"provider":"atlas","endpoint":"/time/convert"}',
    mcp: 'inspect {"provider":"atlas","endpoint":"/time/convert"}',
  },
  {
    title: "running an endpoint whose slash was forgotten, with a comment",
    target: { kind: "run", provider: "atlas", endpoint: "sun", comment: "one place, one day" },
    shell: "mkt run atlas/sun # one place, one day",
    monid: "monid run -p atlas -e /sun # one place, one day",
    api: 'POST /v1/run {"provider":"atlas","endpoint":"/sun","input":{}} # one place, one day',
    mcp: 'run {"provider":"atlas","endpoint":"/sun","input":{}} # one place, one day',
  },
  {
    title: "reading a run",
    target: { kind: "getRun", runId: "01J0" },
    shell: "mkt get-run 01J0",
    monid: "monid runs get -r 01J0",
    api: "GET /v1/runs/01J0",
    mcp: 'get_run {"runId":"01J0"}',
  },
  {
    title: "stopping a run",
    target: { kind: "stop", runId: "01J0" },
    shell: "mkt stop 01J0",
    monid: "monid runs stop -r 01J0",
    api: "POST /v1/runs/01J0/stop",
    mcp: 'stop_run {"runId":"01J0"}',
  },
  {
    title: "releasing a resource",
    target: { kind: "releaseResource", resourceId: "01R0" },
    shell: "mkt resources release 01R0",
    monid: "monid resources release -r 01R0",
    api: "POST /v1/resources/01R0/release",
    mcp: 'release {"resourceId":"01R0"}',
  },
  {
    title: "a command as authored",
    target: { kind: "command", command: "mkt wallet credit 10" },
    shell: "mkt wallet credit 10",
    monid: "mkt wallet credit 10",
    api: "mkt wallet credit 10",
    mcp: "mkt wallet credit 10",
  },
  {
    title: "an argument that looks like an option",
    target: { kind: "getRun", runId: "--all" },
    shell: "mkt get-run -- '--all'",
    monid: "monid runs get -r '--all'",
    api: "GET /v1/runs/--all",
    mcp: 'get_run {"runId":"--all"}',
  },
  {
    title: "text in which a shell would read something",
    target: { kind: "discover", query: "it's $(reboot)" },
    shell: "mkt discover 'it'\\''s $(reboot)'",
    monid: "monid discover -q 'it'\\''s $(reboot)'",
    api: 'POST /v1/discover {"q":"it\'s $(reboot)"}',
    mcp: 'discover {"query":"it\'s $(reboot)"}',
  },
  {
    title: "line breaks, escape sequences and direction marks are taken out",
    target: { kind: "discover", query: "a\nb\u001b[31m\u202ec\u0007", comment: "x\nrm -rf ~" },
    shell: "mkt discover 'a bc' # x rm -rf ~",
    monid: 'monid discover -q "a bc" # x rm -rf ~',
    api: 'POST /v1/discover {"q":"a bc"} # x rm -rf ~',
    mcp: 'discover {"query":"a bc"} # x rm -rf ~',
  },
  {
    title: "a slash in an id stays in the id",
    target: { kind: "stop", runId: "a/../b" },
    shell: "mkt stop a/../b",
    monid: "monid runs stop -r a/../b",
    api: "POST /v1/runs/a%2F..%2Fb/stop",
    mcp: 'stop_run {"runId":"a/../b"}',
  },
  ...(
    [
      ["a run without its id", { kind: "getRun" }],
      ["an endpoint without its provider", { kind: "inspect", endpoint: "/sun" }],
      ["a query of nothing but blanks", { kind: "discover", query: " \u200b " }],
      ["an id that a URL would resolve away", { kind: "stop", runId: ".." }],
      ["a kind from a later contract", { kind: "topup" } as unknown as HintTarget],
    ] as [string, HintTarget][]
  ).map(([title, target]) => ({
    title: `${title} says nothing`,
    target,
    shell: undefined,
    monid: undefined,
    api: undefined,
    mcp: undefined,
  })),
];

describe("a hint in words", () => {
  test.each(rows)("$title", ({ target, shell, monid, api, mcp }) => {
    expect(renderShell(target)).toBe(shell);
    expect(renderMonid(target)).toBe(monid);
    expect(renderApi(target)).toBe(api);
    expect(renderMcp(target)).toBe(mcp);
  });

  test.each([
    ["fish", "'it\\'s a \\\\ \u2019'"],
    ["powershell", "'it''s a \\ \u2019\u2019'"],
    ["posix", "'it'\\''s a \\ \u2019'"],
  ] as const)("quoted for %s", (shell, words) => {
    const said = renderShell({ kind: "discover", query: "it's a \\ \u2019" }, { shell });

    expect(said).toBe(`mkt discover ${words}`);
  });
});

describe("the hints of an answer", () => {
  test.each([
    ["our own command line gets data", "cli", { kind: "getRun", runId: "01J0" }],
    ["a web page gets data", "web", { kind: "getRun", runId: "01J0" }],
    ["the reference command line gets its own words", "monid-cli", "monid runs get -r 01J0"],
    ["an api caller gets a request", "api", "GET /v1/runs/01J0"],
    ["an agent gets a tool call", "mcp", 'get_run {"runId":"01J0"}'],
  ] as const)("%s", (_, reader, expected) => {
    const rendered = renderHints({ "Read it": { kind: "getRun", runId: "01J0" } }, reader);

    expect(rendered).toEqual({ "Read it": expected });
  });

  test("strings stay, targets are rendered, and what cannot be rendered is left out", () => {
    const hints = {
      "Read it": { kind: "getRun", runId: "01J0" },
      Note: "as authored",
      Broken: { kind: "stop" },
    } as const;

    const rendered = renderHints(hints, "api");

    expect(rendered).toEqual({ "Read it": "GET /v1/runs/01J0", Note: "as authored" });
  });

  test("no hints are no member at all", () => {
    expect(renderHints({}, "api")).toBeUndefined();
    expect(renderHints(undefined, "api")).toBeUndefined();
    expect(renderHints({ Note: "x" }, undefined)).toBeUndefined();
  });
});
