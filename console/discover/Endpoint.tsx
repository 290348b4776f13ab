import type { InspectResponse } from "../../shared/contract/inspect.ts";
import type { RunInput } from "../../shared/contract/runs.ts";
import { Facts } from "../parts/Facts.tsx";
import { Inert } from "../parts/Inert.tsx";
import { Screen, Section } from "../parts/Screen.tsx";
import { Problem, Shown } from "../parts/Shown.tsx";
import { Status } from "../parts/Status.tsx";
import { may } from "../service/rights.ts";
import { useLoaded } from "../service/use-loaded.ts";
import { durationText } from "../words/durations.ts";
import { inertText } from "../words/inert-text.ts";
import { priceRowTexts, priceText } from "../words/prices.ts";
import { type Start, Trying } from "./Trying.tsx";

interface EndpointProps {
  readonly provider: string;
  readonly endpoint: string;
  /** A run whose input is taken over. */
  readonly from: string | null;
}

/** One endpoint: what it does and costs, and a form that runs it. */
export function Endpoint({ provider, endpoint, from }: EndpointProps) {
  const inspected = useLoaded(`${provider}${endpoint}`, async (client, signal) =>
    client.inspectEndpoint({ body: { provider, endpoint } }, { signal }),
  );
  const earlier = useLoaded(from ?? "", async (client, signal) =>
    from === null ? undefined : client.getRun({ params: { runId: from } }, { signal }).then(({ input }) => input),
  );
  return (
    <Screen
      name={`${provider}${endpoint}`}
      title={<Inert text={`${provider}${endpoint}`} most={160} />}
      lead={inspected.value && <Inert text={inspected.value.description} most={900} />}
    >
      <Shown of={inspected}>
        {(value) => (
          <div class="columns">
            <div>
              {value.unavailable !== undefined && (
                <Problem
                  text={`It cannot be run now: ${value.unavailable.reason}${value.unavailable.next === undefined ? "" : `. First: ${value.unavailable.next}`}`}
                />
              )}
              {may("startRun") && from !== null && earlier.error !== undefined && (
                <Problem
                  text={`The input of run ${from} cannot be read, so the form begins without it. ${earlier.error}`}
                  onRetry={earlier.reload}
                />
              )}
              {may("startRun") ? (
                (from === null || !earlier.isLoading) && (
                  <Trying endpoint={value} starts={startsOf(value, from, earlier.value)} />
                )
              ) : (
                <p class="note">Your key may look at endpoints, but not run them.</p>
              )}
            </div>
            <Section title="About it">
              <AboutFacts endpoint={value} />
            </Section>
          </div>
        )}
      </Shown>
    </Screen>
  );
}

/** The input of the run that is repeated, then the examples. */
function startsOf(
  { examples = [] }: InspectResponse,
  from: string | null,
  earlier: RunInput | undefined,
): readonly Start[] {
  return [
    ...(from === null || earlier === undefined ? [] : [{ name: `Run ${from}`, input: earlier }]),
    ...examples.map(({ name, input }, index) => ({ name: name ?? `Example ${index + 1}`, input })),
  ];
}

function AboutFacts({ endpoint }: { readonly endpoint: InspectResponse }) {
  const { metrics, price, notes, docUrl, via } = endpoint;
  const { p50, p95 } = metrics?.runTimeMs ?? {};
  return (
    <Facts
      facts={[
        ["Provider", <Inert text={endpoint.providerName} />],
        ["Price", priceText(price, endpoint)],
        ...priceRowTexts(price).map((row, index) => [`Price ${index + 1}`, row] as const),
        ["Health", metrics && <Status status={metrics.status} />],
        ["Half within", p50 === undefined ? undefined : durationText(p50)],
        ["95 % within", p95 === undefined ? undefined : durationText(p95)],
        ["Answers", endpoint.mode === "async" ? "later" : endpoint.mode && "at once"],
        ["Pages", endpoint.maxPages === undefined ? undefined : `up to ${endpoint.maxPages}`],
        ["Its secret", endpoint.secret && <Status status={endpoint.secret.verdict} />],
        ["Through", via && inertText(via.join(" → "))],
        ["Tags", inertText(endpoint.tags.join(", "))],
        ["Documentation", docUrl && <DocLink address={docUrl} />],
        ["Notes", notes && <Inert text={notes.join(" ")} most={800} />],
      ]}
    />
  );
}

/** An address that others wrote: only of the web, shown in full, opened without telling it where from. */
function DocLink({ address }: { readonly address: string }) {
  if (!/^https?:\/\//i.test(address)) return <Inert text={address} />;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      <Inert text={address} />
    </a>
  );
}
