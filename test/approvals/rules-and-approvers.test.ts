import { describe, expect, test } from "vitest";
import { checkApprover, type ApproverFacts } from "../../daemon/approvals/check-approver.ts";
import { digestOfInput, ruleFor } from "../../daemon/approvals/needed-approval.ts";
import type { ApprovalRuleRecord } from "../../daemon/ledger/records/approval-records.ts";
import { askedEvents } from "../../daemon/runs/lifecycle/run-events.ts";
import { roleScopes } from "../../shared/contract/role-scopes.ts";
import { branded } from "../support/branded.ts";
import { makeRun } from "../support/make-run.ts";

const at = "2026-11-21T10:00:00.000Z";

function rule(limit: number, members: object = {}): ApprovalRuleRecord {
  return branded<ApprovalRuleRecord>({
    ruleId: `above-${limit}`,
    workspaceId: "w1",
    limitMicroDollars: limit,
    expiresInSeconds: 60,
    status: "ACTIVE",
    createdAt: at,
    updatedAt: at,
    ...members,
  });
}

const agentKey = { keyId: "k1", label: "agent", actor: "API_KEY#agent" };

function chosen(
  rules: readonly ApprovalRuleRecord[],
  held: number,
  makers: readonly string[] = [],
): string | undefined {
  const run = branded<Parameters<typeof ruleFor>[1]>({ caller: "API_KEY#x", keyId: "k9", heldMicroDollars: held });
  return ruleFor({ approvalRules: rules, makers: () => makers }, run)?.ruleId;
}

describe("the rule that makes a run wait", () => {
  test.each<[why: string, rules: ApprovalRuleRecord[], held: number, makers: string[], ruleId: string | undefined]>([
    ["none, when there are no rules", [], 100, [], undefined],
    ["none, for exactly the amount", [rule(100)], 100, [], undefined],
    ["the rule, for a micro-dollar more", [rule(100)], 101, [], "above-100"],
    ["the strictest of several", [rule(100), rule(20), rule(50)], 101, [], "above-20"],
    ["none that is paused", [rule(20, { status: "PAUSED" }), rule(50)], 101, [], "above-50"],
    ["none for another key", [rule(20, { key: agentKey })], 101, [], undefined],
    ["that of a key that made the key", [rule(20, { key: agentKey })], 101, ["API_KEY#y", "API_KEY#agent"], "above-20"],
    ["none for what costs nothing", [rule(0)], 0, [], undefined],
  ])("is %s", (_why, rules, held, makers, ruleId) => {
    expect(chosen(rules, held, makers)).toBe(ruleId);
  });

  test("is for an input, whatever the order of its members", () => {
    expect(digestOfInput({ body: { a: 1, b: 2 } })).toBe(digestOfInput({ body: { b: 2, a: 1 } }));
    expect(digestOfInput({ body: { a: 1 } })).not.toBe(digestOfInput({ body: { a: "1" } }));
  });
});

type Members = Partial<ApproverFacts["approver"]>;

function tried(approver: Members, others: Partial<ApproverFacts> = {}): string {
  const facts = branded<ApproverFacts>({
    approver: {
      kind: "API_KEY",
      actor: "API_KEY#owner",
      userId: "u1",
      workspaceId: "w1",
      scopes: ["*"],
      operator: true,
      key: { keyId: "k0", workspaceId: "w1", label: "owner", fingerprint: "owner" },
      ...approver,
    },
    approverMakers: ["USER#u1"],
    asker: { label: "agent", scopes: roleScopes.member },
    run: {
      runId: "01JD0000000000000000000000",
      caller: "API_KEY#agent",
      provider: "weather",
      endpoint: "/now",
      heldMicroDollars: 5_000_000,
    },
    ...others,
  } as never);
  try {
    checkApprover(facts);
    return "may";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe("who may approve", () => {
  const limited = (members: object) =>
    ({ key: { keyId: "k2", workspaceId: "w1", label: "lead", fingerprint: "lead", ...members } }) as unknown as Members;

  test.each<[who: string, says: RegExp, facts: [Members, Partial<ApproverFacts>?]]>([
    ["the owner's key, for a member's", /^may$/, [{}]],
    ["a manager's key, for a member's", /^may$/, [{ actor: "API_KEY#m", scopes: roleScopes.manager }]],
    [
      "a manager's key, for the owner's",
      /^may$/,
      [{ actor: "API_KEY#m", scopes: roleScopes.manager }, { asker: { label: "owner", scopes: ["*"] } }],
    ],
    ["a person with an access token, for a key", /^may$/, [{ kind: "JWT", actor: "USER#u1", key: undefined } as never]],
    ["the same key", /asked for it.*--role member/s, [{ actor: "API_KEY#agent" }]],
    [
      "the same person without a key",
      /you asked for it yourself/,
      [{ kind: "JWT", actor: "API_KEY#agent", key: undefined } as never],
    ],
    [
      "a key that it made through another",
      /made by the one that asked/,
      [{}, { approverMakers: ["API_KEY#between", "API_KEY#agent"] }],
    ],
    [
      "a key of fewer rights",
      /may wallet:read, and this key may not/,
      [{ scopes: ["runs:*", "controls:*", "resources:*"] }],
    ],
    ["a key that may not run the endpoint", /may not run weather\/now/, [limited({ endpoints: ["weather/later"] })]],
    ["a key that may not run the provider", /may not run weather\/now/, [limited({ providers: ["news"] })]],
    [
      "a key that may spend less",
      /may spend \$4 a day/,
      [limited({ spendLimit: { microDollars: 4_000_000, period: "DAY" } })],
    ],
  ])("%s: %s", (_who, says, [approver, others]) => {
    expect(tried(approver, others)).toMatch(says);
  });
});

describe("the event that a run waits", () => {
  const asked = makeRun({
    status: "READY",
    approval: {
      ruleId: "r1",
      aboveMicroDollars: 5_000,
      estimateMicroDollars: 8_000,
      inputDigest: "d1",
      expiresAt: at,
    },
  });
  const webhook = { webhookId: "hook", events: ["approval.requested"] };

  test("says what it may cost and until when, and nothing of its input", () => {
    const { events } = askedEvents(asked, branded({ webhooks: [webhook] }) as never);

    expect(events).toMatchObject([
      {
        type: "approval.requested",
        data: { runId: asked.runId, maximum: { value: 0.01 }, above: { value: 0.005 }, expiresAt: at },
      },
    ]);
    expect(JSON.stringify(events)).not.toContain("Lisbon");
  });

  test("is for runs that wait, and webhooks that take it", () => {
    expect(askedEvents(makeRun(), branded({ webhooks: [webhook] }) as never)).toEqual({});
    expect(askedEvents(asked, branded({ webhooks: [{ ...webhook, events: ["run.*"] }] }) as never)).toEqual({});
  });
});
