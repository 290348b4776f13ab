import { Box, Text } from "ink";
import type { ReactElement, ReactNode } from "react";
import { countWords } from "../../shared/count-words.ts";
import type { WorkspaceBudget } from "../../shared/contract/controls.ts";
import type { RunListItem } from "../../shared/contract/runs.ts";
import { clockWords } from "../words/time-words.ts";
import { durationWords } from "../../shared/words/duration-words.ts";
import { dollars } from "../../shared/words/money-words.ts";
import { targetWords } from "../words/target.ts";
import { bar, sparkline } from "../screen/charts.ts";
import { Prose } from "../screen/Prose.tsx";
import { statusColor } from "../screen/status-color.ts";
import { Table } from "../screen/Table.tsx";
import type { ProviderTrend, TopSnapshot } from "./top-snapshot.ts";
import { wentWrong } from "./went-wrong.ts";

interface SectionProps {
  readonly snapshot: TopSnapshot;
  /** So many rows at most; all without it. */
  readonly most?: number;
}

/** What it comes to, in two lines. */
export function TopHead({ snapshot }: SectionProps): ReactElement {
  const { at, url, inFlight, today, wallet } = snapshot;
  const { running, queued, stopping, isAll } = inFlight;
  const going = [`${running} running`, `${queued} queued`, ...(stopping > 0 ? [`${stopping} stopping`] : [])];
  const spent = [
    countWords(today.runs, "run"),
    ...(today.failed > 0 ? [`${today.failed} failed`] : []),
    dollars(today.charged.value),
  ];
  const parts = [
    `${going.join(", ")}${isAll ? "" : ", and more"}`,
    `today: ${spent.join(", ")}`,
    ...walletWords(wallet),
  ];
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Text wrap="truncate">
        <Text bold>mkt top</Text>
        <Text dimColor>{`  ${url}  ${at.slice(11, 19)} UTC`}</Text>
      </Text>
      <Prose text={parts.join(" · ")} />
    </Box>
  );
}

function walletWords(wallet: TopSnapshot["wallet"]): string[] {
  if (wallet === undefined) return [];
  const held = wallet.held.value > 0 ? `, ${dollars(wallet.held.value)} held` : "";
  return [`wallet: ${wallet.unlimited ? "unlimited" : dollars(wallet.balance.value)}${held}`];
}

/** What is spent and held, against what may be. */
export function TopBudgets({ snapshot: { budgets = [] }, most }: SectionProps): ReactElement | null {
  if (budgets.length === 0) return null;
  return (
    <Section>
      <Table
        rows={budgets.slice(0, most)}
        columns={[
          { title: "budget", cell: ({ period }) => period.toLowerCase() },
          { title: "used", cell: (budget) => `${Math.round(100 * usedShare(budget))} %`, right: true },
          { title: "spent", cell: ({ spentAmount }) => dollars(spentAmount), right: true },
          { title: "held", cell: ({ heldAmount }) => dollars(heldAmount), right: true },
          { title: "limit", cell: ({ limitAmount }) => dollars(limitAmount), right: true },
          { title: "", cell: () => "", picture: (budget, columns) => bar(usedShare(budget), columns) },
        ]}
      />
    </Section>
  );
}

function usedShare({ spentAmount, heldAmount, limitAmount }: WorkspaceBudget): number {
  return limitAmount > 0 ? (spentAmount + heldAmount) / limitAmount : 1;
}

/** How the providers did that were run lately. */
export function TopProviders({ snapshot: { providers }, most }: SectionProps): ReactElement | null {
  if (providers.length === 0) return null;
  return (
    <Section>
      <Table
        rows={providers.slice(0, most)}
        columns={[
          { title: "provider", cell: ({ provider }) => provider, shrinks: true },
          { title: "health", cell: ({ health = "unknown" }) => health, color: ({ health }) => statusColor(health) },
          { title: "runs", cell: ({ runs }) => String(runs), right: true },
          { title: "errors", cell: ({ failed }) => String(failed), right: true },
          { title: "latency", cell: latencyWords, right: true },
          { title: "", cell: () => "", picture: ({ latenciesMs }, columns) => sparkline(latenciesMs, columns) },
        ]}
      />
    </Section>
  );
}

/** That of half of the runs, no more. */
function latencyWords({ latenciesMs }: ProviderTrend): string {
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  const median = sorted[Math.floor((sorted.length - 1) / 2)];
  return median === undefined ? "" : durationWords(median);
}

/** The newest runs that brought no data. */
export function TopErrors({ snapshot: { ended }, most }: SectionProps): ReactElement | null {
  const errors = ended.filter(wentWrong).slice(0, most);
  if (errors.length === 0) return null;
  return (
    <Section>
      <Table
        rows={errors}
        columns={[
          { title: "error at", cell: ({ completedAt, createdAt }) => clockWords(completedAt ?? createdAt) },
          { title: "endpoint", cell: (run) => targetWords(run), shrinks: true },
          { title: "what", cell: errorWords, shrinks: true },
        ]}
      />
    </Section>
  );
}

function errorWords({ status, providerResponse }: RunListItem): string {
  if (providerResponse === undefined) return status;
  const { httpStatus, error } = providerResponse;
  return `answered ${httpStatus}${error === undefined ? "" : `: ${error.message}`}`;
}

function Section({ children }: { children: ReactNode }): ReactElement {
  return (
    <Box marginTop={1} flexShrink={0}>
      {children}
    </Box>
  );
}
