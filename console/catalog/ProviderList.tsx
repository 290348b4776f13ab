import { useState } from "preact/hooks";
import type { CatalogProviderItem, CatalogProviderPage } from "../../shared/contract/catalog-views.ts";
import { href, replaceQuery } from "../page/route.ts";
import { Button } from "../parts/Button.tsx";
import { Empty } from "../parts/Empty.tsx";
import { Choice, TextField } from "../parts/Field.tsx";
import { Inert } from "../parts/Inert.tsx";
import { PagedTable } from "../parts/PagedTable.tsx";
import { Status } from "../parts/Status.tsx";
import type { Column } from "../parts/Table.tsx";
import { isOperator } from "../service/rights.ts";
import { useLoaded, useReloadOn } from "../service/use-loaded.ts";
import { countText, counted } from "../words/amounts.ts";
import { needText, sourceText } from "./catalog-words.ts";

const PAGE = 50;
const STATES = [
  ["", "All"],
  ["failing", "Doing badly"],
  ["unavailable", "Cannot be run"],
  ["used", "Used this week"],
] as const;
const SOURCES = [
  ["", "Any"],
  ["own", "Own files"],
  ["market", "Other markets"],
  ["bundled", "Comes with mkt"],
] as const;
type State = (typeof STATES)[number][0];

/** `#/catalog/providers?q=weather&state=failing&source=own`: every provider, and how it does. */
export function ProviderList({ query }: { readonly query: URLSearchParams }) {
  const q = query.get("q") ?? "";
  const state = chosenOf(STATES, query.get("state"));
  const source = chosenOf(SOURCES, query.get("source"));
  const cursor = query.get("cursor") ?? undefined;
  const providers = useLoaded(JSON.stringify([q, state, source, cursor]), async (client, signal) =>
    client.listCatalogProviders(
      {
        query: {
          limit: PAGE,
          cursor,
          ...(q !== "" && { q }),
          ...(state !== "" && { state }),
          ...(source !== "" && { source }),
        },
      },
      { signal },
    ),
  );
  useReloadOn(["catalog", "secret", "reset"], providers.reload);
  const isFiltered = q !== "" || state !== "" || source !== "";
  return (
    <>
      {providers.value !== undefined && <Counts counts={providers.value.counts} />}
      <form class="filters" aria-label="Which providers" onSubmit={(event) => event.preventDefault()}>
        <div class="segments" role="group" aria-label="How they do">
          {STATES.map(([id, name]) => (
            <button
              key={id}
              type="button"
              aria-pressed={state === id}
              onClick={() => replaceQuery({ state: id, cursor: "" })}
            >
              {name}
            </button>
          ))}
        </div>
        <div class="fields">
          <Search key={q} q={q} />
          <Choice
            label="From"
            value={source}
            options={SOURCES}
            onChoose={(chosen) => replaceQuery({ source: chosen, cursor: "" })}
          />
        </div>
      </form>
      <PagedTable
        of={providers}
        caption="Providers by name"
        columns={columns}
        keyOf={({ provider }) => provider}
        at={["catalog", "providers"]}
        query={{ q, state, source }}
        cursor={cursor}
        empty={isFiltered ? <NothingFound state={state} /> : <NothingThere />}
      />
    </>
  );
}

function chosenOf<Value extends string>(
  options: readonly (readonly [Value, string])[],
  text: string | null,
): Value | "" {
  return options.find(([id]) => id === text)?.[0] ?? "";
}

/** Asked for when it is whole. */
function Search({ q }: { readonly q: string }) {
  const [words, setWords] = useState(q);
  const show = () => replaceQuery({ q: words.trim(), cursor: "" });
  return (
    <div
      class="tag-name search"
      onKeyDown={(event) => {
        if (event.key === "Enter") show();
      }}
    >
      <TextField label="Name or words" type="search" value={words} onInput={setWords} placeholder="weather" />
      <Button onPress={show}>Show</Button>
    </div>
  );
}

function Counts({ counts }: Pick<CatalogProviderPage, "counts">) {
  return (
    <div class="figures">
      <div>
        <span class="figure-name">Providers</span>
        {countText(counts.providers)}
      </div>
      <div>
        <span class="figure-name">Endpoints</span>
        {countText(counts.endpoints)}
      </div>
      <div>
        <span class="figure-name">Doing badly</span>
        <span class={counts.failing > 0 ? "bad-text" : undefined}>{countText(counts.failing)}</span>
      </div>
      <div>
        <span class="figure-name">Cannot be run yet</span>
        {countText(counts.unavailable)}
      </div>
    </div>
  );
}

const columns: readonly Column<CatalogProviderItem>[] = [
  {
    name: "Provider",
    cell: ({ provider, displayName }) => (
      <>
        <a class="row-link" href={href(["catalog", "providers", provider])}>
          <Inert text={displayName} most={60} />
        </a>
        {displayName !== provider && (
          <small class="muted second-line">
            <Inert text={provider} most={60} />
          </small>
        )}
      </>
    ),
  },
  { name: "Category", from: "wide", cell: ({ categories }) => <Categories categories={categories} /> },
  { name: "From", from: "medium", cell: ({ source }) => sourceText(source) },
  { name: "Endpoints", align: "end", from: "medium", cell: ({ endpointCount }) => countText(endpointCount) },
  {
    name: "Health",
    cell: ({ status, failing, endpointCount }) => (
      <>
        {status === "unknown" ? <span class="muted">No runs yet</span> : <Status status={status} />}
        {failing > 0 && endpointCount > 1 && (
          <small class="muted second-line">
            {countText(failing)} of {counted(endpointCount, "endpoint")}
          </small>
        )}
      </>
    ),
  },
  {
    name: "Can be run",
    from: "medium",
    cell: ({ unavailable }) =>
      unavailable === undefined ? (
        <Status status="Yes" tone="good" />
      ) : (
        <span class="warn-text">
          <Inert text={needText(unavailable)} most={80} />
        </span>
      ),
  },
];

function Categories({ categories }: Pick<CatalogProviderItem, "categories">) {
  const [first, ...more] = categories;
  if (first === undefined) return <span class="muted">–</span>;
  return (
    <>
      <Inert text={first.replace("/", " › ")} most={60} />
      {more.length > 0 && <small class="muted"> and {countText(more.length)} more</small>}
    </>
  );
}

function NothingFound({ state }: { readonly state: State }) {
  if (state === "failing") {
    return (
      <Empty title="No provider does badly.">
        <p>Errors of the last seven days are counted. Press All to see every provider.</p>
      </Empty>
    );
  }
  return (
    <Empty title="No provider is like this.">
      <p>Press All, choose Any, or try other words.</p>
    </Empty>
  );
}

function NothingThere() {
  if (!isOperator.value) {
    return (
      <Empty title="The catalog is empty.">
        <p>The operator of this service adds providers.</p>
      </Empty>
    );
  }
  return (
    <Empty title="The catalog is empty." command="mkt catalog import https://api.example.com/openapi.json">
      <p>Press Import above to add one from an OpenAPI document, or type:</p>
    </Empty>
  );
}
