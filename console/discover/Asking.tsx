import { useState } from "preact/hooks";
import type { DiscoverExplanation, DiscoverResult } from "../../shared/contract/discovery.ts";
import { Button } from "../parts/Button.tsx";
import { Empty } from "../parts/Empty.tsx";
import { Inert } from "../parts/Inert.tsx";
import { Screen } from "../parts/Screen.tsx";
import { Shown } from "../parts/Shown.tsx";
import { Status } from "../parts/Status.tsx";
import { go, href } from "../page/route.ts";
import { useLoaded } from "../service/use-loaded.ts";
import { counted } from "../words/amounts.ts";
import { durationText } from "../words/durations.ts";
import { inertText } from "../words/inert-text.ts";
import { priceText } from "../words/prices.ts";

const EXAMPLES = ["weather forecast for a city", "exchange rates", "sunrise and sunset times", "facts about countries"];
const REASONS: Readonly<Record<string, string>> = {
  missingSecret: "needs a secret",
  needsGrant: "needs the operator's grant",
  notConnected: "needs a login",
  notSupported: "is not supported by this version",
  changed: "has changed since it was imported",
  outage: "is in outage",
};

/** Asks in words, and shows what fits with its price, its health, and why it was found. */
export function Asking({ query }: { readonly query: URLSearchParams }) {
  const asked = query.get("q") ?? "";
  const [words, setWords] = useState(asked);
  return (
    <Screen title="Discover" name="Discover" lead="Say what you need. What fits comes with its price and how it does.">
      <form
        class="ask"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          if (words.trim() !== "") go(href(["discover"], { q: words.trim() }));
        }}
      >
        <input
          type="search"
          aria-label="What you need"
          value={words}
          placeholder="weather forecast for a city"
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <Button kind="primary" type="submit" icon="discover">
          Ask
        </Button>
      </form>
      {asked === "" ? <Suggestions /> : <Results key={asked} asked={asked} />}
    </Screen>
  );
}

function Suggestions() {
  return (
    <Empty title="Ask in your own words, such as:">
      <ul class="chips">
        {EXAMPLES.map((text) => (
          <li key={text}>
            <a href={href(["discover"], { q: text })}>{text}</a>
          </li>
        ))}
      </ul>
    </Empty>
  );
}

function Results({ asked }: { readonly asked: string }) {
  const found = useLoaded(asked, async (client, signal) =>
    client.discover({ body: { q: asked, limit: 12, explain: true, includeUnavailable: true } }, { signal }),
  );
  return (
    <Shown of={found}>
      {({ results }) =>
        results.length === 0 ? (
          <Empty title="Nothing fits these words.">
            <p>
              Try other words for the kind of data, or <a href={href(["catalog"])}>look through the catalog</a>.
            </p>
          </Empty>
        ) : (
          <ol class="found" aria-label="What fits, best first">
            {results.map((result) => (
              <Result key={`${result.provider}${result.endpoint}`} result={result} />
            ))}
          </ol>
        )
      }
    </Shown>
  );
}

function Result({ result }: { readonly result: DiscoverResult }) {
  const { provider, endpoint, confidence, metrics, unavailable, explanation } = result;
  return (
    <li class="card">
      <div class="card-head">
        <h2>
          <a href={href(["discover", provider, endpoint.replace(/^\//, "")])}>
            <Inert text={`${provider}${endpoint}`} most={120} />
          </a>
        </h2>
        <span class="price">{priceText(result.price, result)}</span>
      </div>
      <p>
        <Inert text={result.description} most={260} />
      </p>
      <div class="card-facts">
        {confidence !== undefined && <Status status={confidence} />}
        {metrics !== undefined && metrics.status !== "unknown" && <Status status={metrics.status} />}
        {metrics?.runTimeMs?.p50 !== undefined && (
          <span class="muted">half within {durationText(metrics.runTimeMs.p50)}</span>
        )}
        {unavailable !== undefined && (
          <span class="warn-text">Cannot be run now: it {REASONS[unavailable.reason] ?? unavailable.reason}</span>
        )}
        {explanation !== undefined && <Why explanation={explanation} />}
      </div>
    </li>
  );
}

const nearness = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

function Why({ explanation: { words, expanded, meaning, use } }: { readonly explanation: DiscoverExplanation }) {
  const lines = [
    ...words
      .slice(0, 6)
      .map(({ word, field, as }) => `“${word}” in its ${field}${as === undefined ? "" : `, as “${as}”`}`),
    ...expanded.slice(0, 4).map(({ word, to, by }) => `“${word}” also as “${to}” (${by})`),
    ...(meaning === undefined ? [] : [`its meaning is ${nearness.format(meaning)} near`]),
    ...(use === undefined ? [] : [`${counted(use.times, "run")} after asks like this one`]),
  ];
  return (
    <details class="why">
      <summary>Why</summary>
      <ul>
        {lines.map((line) => (
          <li key={line}>{inertText(line)}</li>
        ))}
      </ul>
    </details>
  );
}
