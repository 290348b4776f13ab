import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { Approval, ApprovalPage, ApprovalRule, ApprovalRulePage } from "../../shared/contract/approvals.ts";
import { EmptyList } from "../screen/EmptyList.tsx";
import { Facts } from "../screen/Facts.tsx";
import { NextSteps } from "../screen/NextSteps.tsx";
import { statusColor } from "../screen/status-color.ts";
import { Table } from "../screen/Table.tsx";
import type { ViewProps } from "../screen/view.ts";
import { durationWords } from "../../shared/words/duration-words.ts";
import { dollars } from "../../shared/words/money-words.ts";
import { runPriceWords } from "../../shared/words/price-words.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { targetWords } from "../words/target.ts";
import { timeWords, whenWords } from "../words/time-words.ts";

/** The runs that wait for a person. */
export function ApprovalList({ value }: ViewProps<ApprovalPage>): ReactElement {
  const [newest] = value.items;
  if (newest === undefined) {
    return (
      <EmptyList
        says="No runs wait for approval."
        next={{ what: "Have dear runs wait", command: "mkt approvals rules create --above 5" }}
      />
    );
  }
  return (
    <Box flexDirection="column">
      <Table
        rows={value.items}
        columns={[
          { title: "run", cell: (one) => one.runId },
          { title: "endpoint", cell: (one) => targetWords(one), shrinks: "names" },
          { title: "at most", cell: (one) => dollars(one.maximum.value), right: true },
          { title: "asked by", cell: (one) => one.keyLabel ?? one.caller, drops: 1 },
          { title: "asked", cell: (one) => whenWords(one.createdAt), drops: 3 },
          { title: "until", cell: (one) => timeWords(one.expiresAt), drops: 2 },
        ]}
      />
      <NextSteps
        steps={[
          { what: "Look at one", command: shellLine("mkt", "approvals", "show", newest.runId) },
          { what: "Approve it", command: shellLine("mkt", "approvals", "approve", newest.runId) },
          { what: "Deny it", command: shellLine("mkt", "approvals", "deny", newest.runId) },
        ]}
      />
    </Box>
  );
}

/** What a run would do and cost, and what became of it. */
export function ApprovalDetail({ value }: ViewProps<Approval>): ReactElement {
  const { runId, status } = value;
  const color = statusColor(status);
  return (
    <Box flexDirection="column">
      <Text>
        <Text bold {...(color !== undefined && { color })}>
          {status}
        </Text>
        <Text>{`  ${targetWords(value)}`}</Text>
      </Text>
      <Facts
        facts={[
          ["run", runId],
          ["costs", `about ${dollars(value.estimate.value)}, at most ${dollars(value.maximum.value)}`],
          ["waits above", dollars(value.above.value)],
          ["price", runPriceWords(value.price, value)],
          ["input", JSON.stringify(value.input)],
          ...(value.goesOnTo ?? []).map((member): [string, string] => ["or", memberWords(member)]),
          ["asked by", value.keyLabel ?? value.caller],
          ["asked", timeWords(value.createdAt)],
          ["until", status === "WAITING" ? timeWords(value.expiresAt) : undefined],
          ["decided by", value.decidedByKey ?? value.decidedBy],
          ["decided", value.decidedAt && timeWords(value.decidedAt)],
          ["reason", value.reason],
        ]}
      />
      <NextSteps
        steps={
          status === "WAITING"
            ? [
                { what: "Approve it", command: shellLine("mkt", "approvals", "approve", runId) },
                { what: "Deny it", command: shellLine("mkt", "approvals", "deny", runId) },
              ]
            : [{ what: "See the run", command: shellLine("mkt", "get-run", runId) }]
        }
      />
    </Box>
  );
}

/** A member of a route that the run may go on to, with what it would be sent. */
function memberWords(member: NonNullable<Approval["goesOnTo"]>[number]): string {
  const input = member.input === undefined ? "" : `  ${JSON.stringify(member.input)}`;
  return `${targetWords(member)}${input}`;
}

/** From which amounts runs wait. */
export function ApprovalRuleList({ value }: ViewProps<ApprovalRulePage>): ReactElement {
  if (value.items.length === 0) {
    return (
      <EmptyList
        says="No approval rules: no run waits for a person."
        next={{ what: "Create one", command: "mkt approvals rules create --above 5" }}
      />
    );
  }
  return (
    <Table
      rows={value.items}
      columns={[
        { title: "rule", cell: (rule) => rule.ruleId },
        { title: "above", cell: (rule) => dollars(rule.limitAmount), right: true },
        { title: "for", cell: keyWords },
        { title: "waits", cell: spanWords, drops: 1 },
        { title: "status", cell: (rule) => rule.status, color: (rule) => statusColor(rule.status) },
      ]}
    />
  );
}

export function ApprovalRuleDetail({ value }: ViewProps<ApprovalRule>): ReactElement {
  return (
    <Box flexDirection="column">
      <Text bold>{`Runs above ${dollars(value.limitAmount)} wait for approval`}</Text>
      <Facts
        facts={[
          ["rule", value.ruleId],
          ["for", keyWords(value)],
          ["waits", spanWords(value)],
          ["status", value.status],
        ]}
      />
      <NextSteps steps={[{ what: "See what waits", command: "mkt approvals" }]} />
    </Box>
  );
}

function keyWords({ keyLabel }: ApprovalRule): string {
  return keyLabel === undefined ? "all keys" : `the key ${keyLabel} and keys that it makes`;
}

function spanWords({ expiresInSeconds }: ApprovalRule): string {
  return durationWords(expiresInSeconds * 1_000);
}
