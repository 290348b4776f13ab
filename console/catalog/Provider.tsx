import type { CatalogEndpoint, CatalogProviderView } from "../../shared/contract/catalog-views.ts";
import { durationText } from "../words/durations.ts";
import { href } from "../page/route.ts";
import { Copied } from "../parts/Copied.tsx";
import { Empty } from "../parts/Empty.tsx";
import { Facts } from "../parts/Facts.tsx";
import { Inert } from "../parts/Inert.tsx";
import { Screen, Section } from "../parts/Screen.tsx";
import { Shown } from "../parts/Shown.tsx";
import { Status } from "../parts/Status.tsx";
import { type Column, Table } from "../parts/Table.tsx";
import { may } from "../service/rights.ts";
import { useLoaded, useReloadOn } from "../service/use-loaded.ts";
import { countText } from "../words/amounts.ts";
import { inertText } from "../words/inert-text.ts";
import { priceText } from "../words/prices.ts";
import { needText, sourceText } from "./catalog-words.ts";
import { History } from "./History.tsx";
import { ProblemList } from "./ProblemList.tsx";
import { Setup } from "./Setup.tsx";

const PAGE = 100;

interface ProviderProps {
  readonly slug: string;
  readonly query: URLSearchParams;
}

/** `#/catalog/providers/<slug>?endpoint=/now`: one provider, what it needs, how it did, and its endpoints. */
export function Provider({ slug, query }: ProviderProps) {
  const cursor = query.get("cursor") ?? undefined;
  const provider = useLoaded(`${slug} ${cursor}`, async (client, signal) =>
    client.getCatalogProvider({ params: { provider: slug }, query: { limit: PAGE, cursor } }, { signal }),
  );
  useReloadOn(["catalog", "secret", "reset"], provider.reload);
  const name = provider.value?.displayName ?? slug;
  return (
    <Screen
      name={inertText(name)}
      title={<Inert text={name} most={120} />}
      lead={
        <>
          <a href={href(["catalog"])}>Catalog</a>
          {provider.value?.displayDescription !== undefined && (
            <>
              {" · "}
              <Inert text={provider.value.displayDescription} most={400} />
            </>
          )}
        </>
      }
    >
      <Shown of={provider}>
        {(view) => (
          <>
            <Needs view={view} />
            <div class="columns">
              <div>
                <Endpoints view={view} cursor={cursor} />
                <History
                  slug={slug}
                  endpoint={query.get("endpoint") ?? ""}
                  endpoints={view.endpoints.map(({ endpoint }) => endpoint)}
                />
              </div>
              <div>
                <Section title="About it">
                  <AboutFacts view={view} />
                </Section>
                {view.setup !== undefined && <Setup view={view} setup={view.setup} onChange={provider.reload} />}
              </div>
            </div>
          </>
        )}
      </Shown>
    </Screen>
  );
}

/** What is between the provider and a run, with the command that mends it. */
function Needs({ view: { unavailable, setup } }: { readonly view: CatalogProviderView }) {
  const problems = setup?.problems ?? [];
  return (
    <>
      {unavailable !== undefined && (
        <div class="note" role="status">
          <p>
            <strong>It cannot be run yet.</strong> <Inert text={needText(unavailable)} />
            {unavailable.next === undefined ? ". Ask the operator of this service." : ". Type:"}
          </p>
          {unavailable.next !== undefined && <Copied text={inertText(unavailable.next)} label="What mends it" />}
        </div>
      )}
      {problems.length > 0 && (
        <Section title="Problems in its file">
          <ProblemList problems={problems} />
        </Section>
      )}
    </>
  );
}

function AboutFacts({ view }: { readonly view: CatalogProviderView }) {
  const { url, categories, source, status, endpointCount, failing } = view;
  return (
    <Facts
      facts={[
        ["Name in calls", <Inert text={view.provider} />],
        ["Health", status === "unknown" ? <span class="muted">No runs yet</span> : <Status status={status} />],
        ["Doing badly", failing === 0 ? undefined : `${countText(failing)} of ${countText(endpointCount)}`],
        ["Endpoints", countText(endpointCount)],
        ["From", sourceText(source)],
        [
          "Category",
          categories.length === 0 ? undefined : <Inert text={categories.join(", ").replaceAll("/", " › ")} />,
        ],
        ["Site", url === undefined ? undefined : <Inert text={url} />],
      ]}
    />
  );
}

interface EndpointsProps {
  readonly view: CatalogProviderView;
  readonly cursor: string | undefined;
}

function Endpoints({ view, cursor }: EndpointsProps) {
  const { provider, displayName, endpoints } = view;
  const at = ["catalog", "providers", provider];
  return (
    <Section title="Endpoints">
      {endpoints.length === 0 ? (
        <Empty title="None of its endpoints is served.">
          <p>They may be turned off in its file, or have mistakes.</p>
        </Empty>
      ) : (
        <Table
          caption={`Endpoints of ${inertText(displayName)}`}
          columns={columnsOf(view)}
          rows={endpoints}
          keyOf={({ endpoint }) => endpoint}
        />
      )}
      {(cursor !== undefined || view.cursor !== undefined) && (
        <nav class="pages" aria-label="Pages">
          {cursor !== undefined && <a href={href(at)}>First page</a>}
          {view.cursor !== undefined && <a href={href(at, { cursor: view.cursor })}>Next page</a>}
        </nav>
      )}
    </Section>
  );
}

function columnsOf({ provider, displayName }: CatalogProviderView): readonly Column<CatalogEndpoint>[] {
  return [
    {
      name: "Endpoint",
      cell: ({ endpoint, displayName: name }) => (
        <>
          <a class="row-link" href={href(["discover", provider, endpoint.replace(/^\//, "")])}>
            <Inert text={endpoint} most={60} />
          </a>
          <small class="muted second-line">
            <Inert text={name} most={70} />
          </small>
        </>
      ),
    },
    {
      name: "Price",
      align: "end",
      cell: ({ price }) => (
        <span class="wraps">{priceText(price, { provider, providerDisplayName: displayName })}</span>
      ),
    },
    {
      name: "Health",
      from: "medium",
      cell: ({ metrics: { status } }) =>
        status === "unknown" ? <span class="muted">No runs yet</span> : <Status status={status} />,
    },
    {
      name: "Half within",
      align: "end",
      from: "wide",
      cell: ({ metrics }) => {
        const p50 = metrics.runTimeMs?.p50;
        return p50 === undefined ? <span class="muted">–</span> : durationText(p50);
      },
    },
    {
      name: "Run",
      hideName: true,
      align: "end",
      cell: ({ endpoint, unavailable }) => {
        const address = href(["discover", provider, endpoint.replace(/^\//, "")]);
        if (unavailable !== undefined) return <span class="warn-text">{inertText(needText(unavailable))}</span>;
        return (
          may("startRun") && (
            <a class="button" href={address} aria-label={`Run ${inertText(endpoint)}`}>
              Run
            </a>
          )
        );
      },
    },
  ];
}
