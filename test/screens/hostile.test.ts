import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { mktHome } from "../support/mkt-home.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { aRun, startStandIn, sunEndpoint } from "../cli/stand-in-service.ts";
import { hasTmux, openTerminals, type Terminals } from "./tmux.ts";

/* oxlint-disable no-control-regex -- escape sequences are what this is about */

const hostile = [
  ["sets the clipboard (OSC 52)", "\u001b]52;c;ZXZpbA==\u0007"],
  ["links somewhere else (OSC 8)", "\u001b]8;;https://evil.example\u001b\\here\u001b]8;;\u001b\\"],
  ["clears the screen (CSI)", "\u001b[2J\u001b[H"],
  ["reports what was typed (CSI)", "\u001b[6n\u001b[c"],
  ["is eight bits wide (C1)", "\u009b2J\u009d52;c;ZXZpbA==\u009c\u0090q\u009c"],
  ["turns words around", "user\u202etxt.exe\u2066\u200f"],
  ["goes over the line", "good\rbad\u0008\u0008"],
  [
    "is not seen",
    "pay\u200bpal\u200d\u00ad\ufeff\u2060\u2062\u3164\u2028x\u2029y\ufe0f\u{e0152}\u{e0069}\u{e0067}\u{e006e}",
  ],
] as const;
const everything = hostile.map(([, sequence]) => sequence).join(" and ");

/** What we write ourselves: colours, clearing the line of the spinner, and the dashboard's screen and cursor. */
const ours =
  /\u001b\[[0-9;]*m|\r\u001b\[2K|\u001b\[\?(?:1049|25|2026|2004)[hl]|\u001b\[(?:[0-9]+)?[AGK]|\u001b\[H|\u001b\[[23]J|\r\n/g;

describe.skipIf(!hasTmux)("what others put into names and data reaches no terminal as it is (needs tmux)", () => {
  let terminals: Terminals;
  beforeAll(() => void (terminals = openTerminals()));
  afterAll(() => terminals[Symbol.asyncDispose]());

  test("from a provider, through a real daemon", async () => {
    using home = mktHome();
    await using vendor = await startFakeProvider();
    vendor.on("GET /text", { headers: { "content-type": "text/plain; charset=utf-8" }, text: everything });
    vendor.on("GET /rows", { json: [{ [everything]: everything, n: 1 }] });
    vendor.on("GET /deep", { json: { a: [{ [everything]: { b: [everything] } }] } });
    vendor.on("GET /bad", { status: 500, json: { message: everything } });
    const manifest = {
      http: { baseUrl: vendor.url, allowPrivateNetwork: true, retry: { attempts: 1 } },
      endpoints: Object.fromEntries(
        ["/text", "/rows", "/deep", "/bad"].map((path) => [
          path,
          { request: { method: "GET", path }, price: { type: "FREE" } },
        ]),
      ),
    };
    await using daemon = await startTestDaemon({ manifests: { vendor: manifest } });

    for (const words of [
      "run vendor/text",
      "run vendor/rows",
      "run vendor/deep --full",
      "run vendor/bad",
      "runs",
      "top",
    ]) {
      expect(await foreignBytes(words, daemon, home.path), words).toEqual([]);
    }
  }, 120_000);

  test("from a service that nobody should trust", async () => {
    using home = mktHome();
    const result = {
      ...sunEndpoint,
      endpoint: `/${everything}`,
      description: everything,
      score: 1,
      tags: [everything],
    };
    await using service = await startStandIn({
      "POST /v1/discover": {
        body: { query: everything, count: 1, results: [result], hints: { [everything]: everything } },
      },
      "POST /v1/inspect": {
        body: { ...sunEndpoint, providerName: everything, notes: [everything], tags: [everything] },
      },
      "GET /v1/runs": { body: { items: [aRun({ provider: everything, endpoint: everything })], cursor: everything } },
      "GET /v1/usage": { body: usageOf(everything) },
      "GET /v1/runs/x": { status: 404, body: { code: 404, message: everything } },
    });

    for (const words of [
      "discover sun",
      "inspect atlas/sun",
      "runs",
      "usage",
      "get-run x",
      "runs --json",
      "get-run x --json",
    ]) {
      expect(await foreignBytes(words, { url: service.url, key: "mkt_test" }, home.path), words).toEqual([]);
    }
  }, 120_000);

  /** Control characters, direction marks and hidden characters that reached the terminal and are not ours. */
  async function foreignBytes(words: string, { url, key }: { url: string; key: string }, folder: string) {
    const recordTo = join(folder, `record-${words.replace(/\W+/g, "-")}`);
    const environment = { MKT_API_URL: url, MKT_API_KEY: key, LANG: "C.UTF-8", HOME: folder };
    const pane = await terminals.start(words.split(" "), { columns: 80, rows: 40, environment, recordTo });
    if (words === "top") {
      await pane.until("q: leave");
      await pane.press("Enter");
      await pane.until("esc: back");
      await pane.press("q");
    }
    await pane.ended();
    const written = readFileSync(recordTo, "utf8");
    expect(written.length, words).toBeGreaterThan(30);
    return (
      written
        .replace(ours, "")
        .match(
          /(?:[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad]|[\u200b-\u200f\u2028-\u202e\u2060-\u2069\u3164\ufeff]|[\u{fe00}-\u{fe0f}]|[\u{e0000}-\u{e0fff}]).{0,20}/gu,
        ) ?? []
    );
  }
});

function usageOf(group: string) {
  const money = { value: 0.01, currency: "USD" };
  const sums = {
    runs: 1,
    failed: 0,
    charged: money,
    cost: money,
    rent: { ...money, value: 0 },
    overruns: 0,
    overrun: money,
  };
  return { items: [{ group, ...sums }], total: sums };
}
