import { useEffect, useRef, useState } from "preact/hooks";
import type { RunListItem } from "../../shared/contract/runs.ts";
import { isTerminal } from "../../shared/run-status.ts";
import { Button } from "../parts/Button.tsx";
import { Empty } from "../parts/Empty.tsx";
import { TextField } from "../parts/Field.tsx";
import { Money } from "../parts/Money.tsx";
import { Screen } from "../parts/Screen.tsx";
import { Shown } from "../parts/Shown.tsx";
import { type Column, Table } from "../parts/Table.tsx";
import { Time } from "../parts/Time.tsx";
import { href, replaceQuery } from "../page/route.ts";
import { say } from "../page/toasts.ts";
import { api } from "../service/api.ts";
import { may } from "../service/rights.ts";
import { useLoaded, useLive, useReloadOn } from "../service/use-loaded.ts";
import { countText } from "../words/amounts.ts";
import { EXAMPLE_RUN } from "../words/example-commands.ts";
import { filterNames, filterQuery, readFilter, type RunFilter, statusGroups } from "./run-filter.ts";
import { EndpointName } from "./EndpointName.tsx";
import { RunStatus } from "./RunStatus.tsx";
import { tookText } from "./took-text.ts";

const PAGE = 50;

/** The runs of the workspace, newest first; the first page follows what happens. */
export function RunList({ query }: { readonly query: URLSearchParams }) {
  const filter = readFilter(query);
  const cursor = query.get("cursor") ?? undefined;
  const runs = useLoaded(
    JSON.stringify([filter, cursor]),
    async (client, signal) => client.listRuns({ query: { limit: PAGE, cursor, ...filterQuery(filter) } }, { signal }),
    { keepsFormer: true },
  );
  const { reload, put } = runs;
  useReloadOn(cursor === undefined ? ["run", "reset"] : ["reset"], reload);
  // What is shown already changes at once; the list as a whole a moment later.
  useLive(["run"], ({ data }) =>
    put((page) => ({
      ...page,
      items: page.items.map((run) =>
        run.runId === data["runId"] ? { ...run, status: data["status"] as RunListItem["status"] } : run,
      ),
    })),
  );

  return (
    <Screen title="Runs" name="Runs" lead="Every call that was made with this workspace, and what became of it.">
      <Filters filter={filter} />
      <Shown of={runs}>
        {(page) =>
          page.items.length === 0 ? (
            <NoRuns filter={filter} />
          ) : (
            <>
              <Table
                caption="Runs, newest first"
                columns={page.items.some(mayStop) ? [...columns, stopColumn] : columns}
                rows={page.items}
                keyOf={(run) => run.runId}
              />
              {(page.damaged?.length ?? 0) > 0 && (
                <p class="below warn">
                  {countText(page.damaged?.length ?? 0)} records of this page are damaged on the disk and not shown.
                </p>
              )}
              <nav class="pages" aria-label="Pages">
                {cursor !== undefined && <a href={href(["runs"], filter)}>Newest</a>}
                {page.cursor !== undefined && <a href={href(["runs"], { ...filter, cursor: page.cursor })}>Older</a>}
              </nav>
            </>
          )
        }
      </Shown>
    </Screen>
  );
}

const columns: readonly Column<RunListItem>[] = [
  {
    name: "Endpoint",
    cell: (run) => (
      <a class="row-link" href={href(["runs", run.runId])}>
        <span class="two-lines">
          <EndpointName of={run} />
          <small class="muted to-medium words">
            <Time at={run.createdAt} />
          </small>
          <small class="muted from-medium">{run.runId}</small>
        </span>
      </a>
    ),
  },
  {
    name: "Status",
    cell: (run) => (
      <span class="two-lines">
        <RunStatus run={run} />
        {run.providerResponse?.error !== undefined && (
          <small class="muted words">provider answered {run.providerResponse.httpStatus}</small>
        )}
        {mayStop(run) && (
          <span class="to-medium">
            <StopButton runId={run.runId} />
          </span>
        )}
      </span>
    ),
  },
  { name: "Charged", align: "end", cell: (run) => <Money amount={run.cost} /> },
  {
    name: "Results",
    align: "end",
    from: "wide",
    cell: (run) => (run.resultCount == null ? <span class="muted">–</span> : countText(run.resultCount)),
  },
  { name: "Took", align: "end", from: "medium", cell: (run) => tookText(run) ?? <span class="muted">–</span> },
  { name: "Asked for", align: "end", from: "medium", cell: (run) => <Time at={run.createdAt} /> },
];

const stopColumn: Column<RunListItem> = {
  name: "Stop",
  hideName: true,
  align: "end",
  from: "medium",
  cell: (run) => (mayStop(run) ? <StopButton runId={run.runId} /> : null),
};

function mayStop(run: RunListItem): boolean {
  return !isTerminal(run) && run.status !== "STOPPING" && run.stoppable !== false && may("stopRun");
}

/** Stops a run; what it has cost until then is charged, so the run itself tells. */
export function StopButton({ runId }: { readonly runId: string }) {
  return (
    <Button
      icon="stop"
      label={`Stop run ${runId}`}
      onPress={async () => {
        const { message } = await api().stopRun({ params: { runId } });
        say(message);
      }}
    >
      Stop
    </Button>
  );
}

function Filters({ filter }: { readonly filter: RunFilter }) {
  const [isOpen, setOpen] = useState(filterNames.some((name) => name !== "status" && filter[name] !== undefined));
  const change = (name: keyof RunFilter) => (value: string) =>
    replaceQuery({ ...NO_FILTER, ...filter, cursor: undefined, [name]: value.trim() });
  return (
    <form class="filters" role="search" aria-label="Filter runs" onSubmit={(event) => event.preventDefault()}>
      <div class="segments" role="group" aria-label="Status">
        {statusGroups.map(([value, name]) => (
          <button
            key={name}
            type="button"
            aria-pressed={(filter.status ?? "") === value}
            onClick={() => change("status")(value)}
          >
            {name}
          </button>
        ))}
      </div>
      <button type="button" class="button quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        More filters
      </button>
      {isOpen && (
        <div class="fields">
          {TYPED.map(([name, label, placeholder]) => (
            <TypedFilter
              key={name}
              label={label}
              placeholder={placeholder}
              value={filter[name] ?? ""}
              onRest={change(name)}
            />
          ))}
          <TextField
            label="Since (UTC)"
            type="date"
            value={filter.since?.slice(0, 10) ?? ""}
            onInput={(day) => change("since")(day === "" ? "" : `${day}T00:00:00Z`)}
          />
          <TextField
            label="Before (UTC)"
            type="date"
            value={filter.until?.slice(0, 10) ?? ""}
            onInput={(day) => change("until")(day === "" ? "" : `${day}T00:00:00Z`)}
          />
        </div>
      )}
    </form>
  );
}

const TYPED = [
  ["provider", "Provider", "atlas"],
  ["endpoint", "Endpoint", "/sun"],
  ["tag", "Tag", "name:value"],
  ["keyLabel", "Key", "its label"],
] as const;

/** For fast typing: each letter would be a question of its own. */
const REST_MS = 350;

interface TypedFilterProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  /** Told what is typed once the typing rests. */
  readonly onRest: (value: string) => void;
}

function TypedFilter({ label, placeholder, value, onRest }: TypedFilterProps) {
  const [typed, setTyped] = useState(value);
  const told = useRef(value);
  const rest = useRef(onRest);
  rest.current = onRest;
  useEffect(() => {
    // Changed from outside, such as by a link.
    if (value === told.current) return;
    told.current = value;
    setTyped(value);
  }, [value]);
  useEffect(() => {
    const wanted = typed.trim();
    if (wanted === told.current) return;
    const timer = setTimeout(() => {
      told.current = wanted;
      rest.current(wanted);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return <TextField label={label} value={typed} onInput={setTyped} placeholder={placeholder} />;
}

const NO_FILTER = Object.fromEntries(filterNames.map((name) => [name, undefined]));

function NoRuns({ filter }: { readonly filter: RunFilter }) {
  if (Object.keys(filter).length > 0) {
    return (
      <Empty title="No run fits these filters.">
        <p>
          <a href="#/runs">Show all runs</a>
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="Nothing was run yet." command={EXAMPLE_RUN} right="startRun">
      <p>
        <a href="#/discover">Find an endpoint and run it here</a>, or type:
      </p>
    </Empty>
  );
}
