import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { durationWords } from "../../shared/words/duration-words.ts";
import { dollars } from "../../shared/words/money-words.ts";
import { costSoFar } from "../run/cost-so-far.ts";
import { progressWords } from "../run/progress-words.ts";
import { isTerminal } from "../run/run-outcome.ts";
import { targetWords } from "../words/target.ts";
import { useLook } from "../screen/look.ts";
import { runStatusColor } from "../screen/status-color.ts";
import { statusWords } from "../words/run-status-words.ts";
import { type Column, Table } from "../screen/Table.tsx";
import type { TopRun } from "./top-snapshot.ts";

interface TopRunsProps {
  readonly runs: readonly TopRun[];
  /** When they were read. */
  readonly at: string;
  /** The place of the run that is chosen, where one can be. */
  readonly chosen?: number;
}

/** From here on there is room for the ids of runs. */
const WIDE = 100;
const NARROW = 60;

/** Runs that go on, then those that have ended. */
export function TopRuns({ runs, at, chosen }: TopRunsProps): ReactElement {
  const { columns, linear } = useLook();
  if (runs.length === 0) {
    return (
      <Box marginTop={1}>
        <Text>No runs yet.</Text>
      </Box>
    );
  }
  const known: Column<TopRun>[] = [
    { title: "status", cell: statusWords, color: runStatusColor },
    { title: "endpoint", cell: (run) => targetWords(run), shrinks: true },
    { title: "time", cell: (run) => timeWords(run, at), right: true },
    { title: "cost", cell: (run) => costWords(run, at), right: true },
    { title: "progress", cell: (run) => progressWords(run) ?? "", shrinks: true },
  ];
  const id: Column<TopRun> = { title: "run", cell: ({ runId }) => runId };
  const shown = columns < NARROW && !linear ? known.slice(0, 2) : known;
  return (
    <Box marginTop={1} flexShrink={0}>
      <Table rows={runs} columns={columns >= WIDE || linear ? [id, ...shown] : shown} chosen={chosen} />
    </Box>
  );
}

function timeWords({ createdAt, startedAt = createdAt, completedAt }: TopRun, at: string): string {
  const ms = Date.parse(completedAt ?? at) - Date.parse(startedAt);
  return Number.isFinite(ms) ? durationWords(Math.max(ms, 0)) : "";
}

function costWords(run: TopRun, at: string): string {
  const cost = costSoFar(run, Date.parse(at));
  if (cost === undefined) return "";
  return isTerminal(run) ? dollars(cost) : `~${dollars(cost)}`;
}
