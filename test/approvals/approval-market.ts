import { type ControlMarket, microDollars, openControlMarket } from "../controls/control-market.ts";
import { type Answer, type Ask, askWith } from "../support/request.ts";
import type { TestDaemonOptions } from "../support/start-daemon.ts";

/** A market in which an agent asks with a member's key, and its owner approves. */
export interface ApprovalMarket extends ControlMarket {
  /** The agent's requests. */
  readonly agent: Ask;
  /** Starts `/now`, for $0.01, as the agent. */
  readonly ask: (more?: object, headers?: Record<string, string>) => Promise<Answer>;
  /** A key of its own, made with the owner's. */
  readonly newKey: (body: object) => Promise<{ readonly key: string; readonly ask: Ask }>;
  /** Has runs above the amount wait; gives the id of the rule. */
  readonly rule: (dollars: number, more?: object) => Promise<string>;
  readonly approve: (runId: string, as?: Ask) => Promise<Answer>;
  readonly deny: (runId: string, reason?: string, as?: Ask) => Promise<Answer>;
  /** The run at its end. */
  readonly ended: (runId: string) => Promise<Answer["body"]>;
}

export async function openApprovalMarket(options: TestDaemonOptions = {}): Promise<ApprovalMarket> {
  const market = await openControlMarket(options);
  const { request, url } = market.daemon;
  const newKey = async (body: object) => {
    const { key } = (await request("POST", "/v1/api-keys", body)).body;
    return { key, ask: askWith(url, key) };
  };
  const agent = (await newKey({ label: `agent-${Math.random().toString(36).slice(2)}`, role: "member" })).ask;
  return {
    ...market,
    agent,
    newKey,
    ask: async (more = {}, headers = {}) =>
      await agent(
        "POST",
        "/v1/run",
        { provider: "weather", endpoint: "/now", input: { city: "Lisbon" }, ...more },
        headers,
      ),
    rule: async (dollars, more = {}) => {
      const body = { limitAmount: microDollars(dollars), ...more };
      const made = await request("POST", "/v1/controls/approval-rules", body);
      if (made.status !== 201) throw new Error(made.text);
      return made.body.ruleId;
    },
    approve: async (runId, as = request) => await as("POST", `/v1/approvals/${runId}/approve`),
    deny: async (runId, reason, as = request) =>
      await as("POST", `/v1/approvals/${runId}/deny`, reason === undefined ? {} : { reason }),
    ended: async (runId) => (await request("GET", `/v1/runs/${runId}?wait=10`)).body,
  };
}
