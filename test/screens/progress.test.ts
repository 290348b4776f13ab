import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { anAcceptedRun, aRun, startStandIn } from "../cli/stand-in-service.ts";
import { runMkt, TextSink } from "../support/run-cli.ts";

/* oxlint-disable no-control-regex -- the line of the spinner is written over by control characters */

const metered = {
  type: "METERED",
  amount: 60,
  currency: "USD",
  detail: { type: "METERED", amount: { value: 60, currency: "USD" }, per: { unit: "MINUTE", count: 1 } },
};

/** A run that is at 42 percent for so long, or until something holds; then it is done. */
async function startLongRun(until: number | (() => boolean)) {
  let asked = 0;
  return await startStandIn({
    "GET /v1/runs/01RUN": async () => {
      if (asked++ > 0) await (typeof until === "number" ? delay(until) : vi.waitUntil(until, 20_000));
      const startedAt = new Date(Date.now() - 1_000).toISOString();
      return {
        body:
          asked === 1 ? anAcceptedRun({ progress: 42, progressUnit: "percent", price: metered, startedAt }) : aRun(),
      };
    },
  });
}

const waiting = ["get-run", "01RUN", "--wait"];

describe("while a run goes on", () => {
  test("a line says how far it is, what it has cost and how long it takes, and is taken away", async () => {
    const line = /[⠀-⣿] RUNNING atlas\/reports\/time-zones · 42 % · about \$[\d.]+ so far [\d.]+ m?s/;
    const stderr = new TextSink();
    await using service = await startLongRun(() => line.test(stderr.text));

    await runMkt(waiting, { ...service, stderr, tty: true });

    expect(stderr.text).toMatch(line);
    expect(stderr.text.split("\r\u001b[2K").at(-1)).toBe(
      "\u001b[38;5;28mCOMPLETED\u001b[39m · $0.001 · 1.5 s · run 01RUN\n",
    );
  });

  test("the line is ASCII in a locale that knows no more", async () => {
    const line = /[|/\\-] RUNNING atlas\/reports\/time-zones \| 42 %/;
    const stderr = new TextSink();
    await using service = await startLongRun(() => line.test(stderr.text));

    await runMkt(waiting, { stderr, tty: true, env: { ...service.env, LC_ALL: "C" } });

    expect(stderr.text).toMatch(line);
    expect(stderr.text.replace(/[\r\u001b]/g, "")).toMatch(/^[\n -~]*$/);
  });

  // Each waits for longer than the client asks again.
  test.concurrent.each([
    ["a screen reader", { INK_SCREEN_READER: "true" }],
    ["TERM=dumb", { TERM: "dumb" }],
  ])("%s is told in lines of their own, once for each news", async (_what, env) => {
    await using service = await startLongRun(11_000);

    const { stderr } = await runMkt(waiting, { tty: true, env: { ...service.env, ...env } });

    expect(stderr).not.toContain("\u001b");
    expect(stderr.match(/^RUNNING .* 42 % .*$/gm)).toHaveLength(1);
  });

  test("nothing is said in a pipe, nor with --quiet", async () => {
    await using service = await startLongRun(600);

    expect((await runMkt(waiting, service)).stderr).toBe("COMPLETED · $0.001 · 1.5 s · run 01RUN\n");
    expect((await runMkt([...waiting, "--quiet"], { ...service, tty: true })).stderr).toBe("");
  });
});
