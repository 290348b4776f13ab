import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestDaemon } from "../support/start-daemon.ts";
import { hasTmux, openTerminals, type Pane, type Terminals } from "./tmux.ts";

describe.skipIf(!hasTmux)("the dashboard gives the terminal back as it was (needs tmux)", () => {
  let terminals: Terminals;
  beforeAll(() => void (terminals = openTerminals()));
  afterAll(() => terminals[Symbol.asyncDispose]());

  test.each<[string, (pane: Pane) => Promise<void>, number]>([
    ["q", (pane) => pane.press("q"), 0],
    ["Ctrl-C", (pane) => pane.press("C-c"), 130],
    ["a signal", (pane) => pane.kill("SIGTERM"), 143],
  ])("after %s", async (_what, leave, exitCode) => {
    await using daemon = await startTestDaemon();
    const environment = { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key, LANG: "C.UTF-8" };
    const pane = await terminals.start(["top"], { columns: 80, rows: 24, environment });
    await pane.until("No runs yet.");
    expect(await pane.isGivenBack()).toBe(false);

    await leave(pane);

    expect(await pane.ended()).toBe(exitCode);
    expect(await pane.isGivenBack()).toBe(true);
    expect((await pane.frame()).text).not.toContain("mkt top");
  });

  test("after a key that has lost its rights, and says so", async () => {
    await using daemon = await startTestDaemon();
    const { key } = await daemon.client.createApiKey({ body: { label: "short" } });
    const environment = { MKT_API_URL: daemon.url, MKT_API_KEY: key, LANG: "C.UTF-8" };
    const pane = await terminals.start(["top"], { columns: 80, rows: 24, environment });
    await pane.until("No runs yet.");

    await daemon.client.revokeApiKey({ params: { label: "short" } });

    expect(await pane.ended()).toBe(4);
    expect(await pane.isGivenBack()).toBe(true);
    expect((await pane.frame()).text).toContain("error: ");
  });

  test("and fits itself to a terminal that becomes another size", async () => {
    await using daemon = await startTestDaemon();
    const environment = { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key, LANG: "C.UTF-8" };
    const pane = await terminals.start(["top"], { columns: 80, rows: 24, environment });
    await pane.until("q: leave");

    await pane.resize(30, 10);

    await pane.until(/^q: leave · s: stop · enter: o…$/m);
    await pane.press("q");
    expect(await pane.ended()).toBe(0);
  });
});
