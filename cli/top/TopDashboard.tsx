import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { durationWords } from "../../shared/words/duration-words.ts";
import { targetWords } from "../words/target.ts";
import { palette } from "../screen/palette.ts";
import { RunDetail } from "../runs/RunDetail.tsx";
import { TopBudgets, TopErrors, TopHead, TopProviders } from "./TopSections.tsx";
import { TopRuns } from "./TopRuns.tsx";
import { shownRuns, type TopState } from "./top-state.ts";
import { wentWrong } from "./went-wrong.ts";

interface DashboardProps {
  readonly state: TopState;
  readonly columns: number;
  /** Height of the terminal. */
  readonly rows: number;
}

/** The dashboard as it stands; a pure function of its state, one line less than the terminal has. */
export function TopDashboard({ state, columns, rows }: DashboardProps): ReactElement {
  const { opened } = state;
  return (
    <Box flexDirection="column" height={rows - 1} overflow="hidden">
      <Box flexDirection="column" flexGrow={1} flexShrink={1} overflow="hidden">
        {opened === undefined ? (
          <Overview state={state} rows={rows} />
        ) : (
          <RunDetail value={opened} columns={columns} full={false} />
        )}
      </Box>
      <Foot state={state} />
    </Box>
  );
}

const MOST_ROWS = 3;
/** Every section has an empty line and its titles. */
const SECTION_HEAD = 2;
const LEAST_RUNS = 3;

function Overview({ state, rows }: { state: TopState; rows: number }): ReactElement {
  const { snapshot, chosen } = state;
  const runs = shownRuns(snapshot);
  const place = Math.max(
    0,
    runs.findIndex(({ runId }) => runId === chosen),
  );
  const room = roomForRuns(state, rows);
  const first = Math.max(0, Math.min(place - Math.floor(room / 2), runs.length - room));
  return (
    <>
      <TopHead snapshot={snapshot} />
      <TopRuns runs={runs.slice(first, first + room)} at={snapshot.at} chosen={place - first} />
      <TopBudgets snapshot={snapshot} most={MOST_ROWS} />
      <TopProviders snapshot={snapshot} most={MOST_ROWS} />
      <TopErrors snapshot={snapshot} most={MOST_ROWS} />
    </>
  );
}

/** What the head, the foot and the other sections leave. */
function roomForRuns({ snapshot }: TopState, rows: number): number {
  const { budgets = [], providers, ended } = snapshot;
  const sections = [budgets.length, providers.length, ended.filter(wentWrong).length].filter((count) => count > 0);
  const others = sections.reduce((sum, count) => sum + SECTION_HEAD + Math.min(count, MOST_ROWS), 0);
  const [head, foot, cursorLine] = [2, 2, 1];
  return Math.max(LEAST_RUNS, rows - cursorLine - head - foot - SECTION_HEAD - others);
}

/** What went wrong, what is asked, else which keys there are. */
function Foot({ state }: { state: TopState }): ReactElement {
  const { asking, away, notice, opened } = state;
  const keys =
    opened === undefined ? "q: leave · s: stop · enter: open · arrows or j/k: choose" : "q: leave · esc: back";
  return (
    <Box flexDirection="column" flexShrink={0} marginTop={1}>
      {away !== undefined && (
        <Text wrap="truncate" color={palette.bad}>
          {`Not up to date, next try in ${durationWords(away.retryMs)}: ${away.message}`}
        </Text>
      )}
      {asking !== undefined ? (
        <Text bold wrap="truncate">{`Stop ${targetWords(asking)}, run ${asking.runId}? y/n`}</Text>
      ) : (
        <Text wrap="truncate">{notice ?? keys}</Text>
      )}
    </Box>
  );
}
