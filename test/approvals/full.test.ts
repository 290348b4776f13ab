import { expect, test } from "vitest";
import { runMkt } from "../support/run-cli.ts";
import { openApprovalMarket } from "./approval-market.ts";

test("only so many runs wait for a person: the next one is refused, with what to do, until one was decided", async () => {
  await using market = await openApprovalMarket({ config: { openRunLimits: { waitingForApproval: 3 } } });
  await market.rule(0.001);
  const waiting = await Promise.all([market.ask(), market.ask(), market.ask()]);

  const refused = await market.ask();
  const env = { MKT_API_URL: market.daemon.url, MKT_API_KEY: market.daemon.key };
  const typed = await runMkt(["run", "weather/now", "city=Lisbon"], { env });
  await market.deny(waiting[0].body.runId);
  const afterwards = await market.ask();

  expect(waiting.map(({ status }) => status)).toEqual([202, 202, 202]);
  expect(refused).toMatchObject({ status: 403, body: { errorCode: "APPROVALS_FULL", next: "mkt approvals" } });
  expect(refused.body.message).toContain("3 runs of this workspace wait for approval");
  expect(refused.body.message).toContain("nothing was run");
  expect(typed).toMatchObject({ exitCode: 7, stderr: expect.stringContaining("mkt approvals") });
  expect(afterwards.status).toBe(202);
  expect(market.upstream.calls).toEqual([]);
});
