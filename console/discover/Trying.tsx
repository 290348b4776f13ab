import { useEffect, useMemo, useState } from "preact/hooks";
import type { InspectResponse } from "../../shared/contract/inspect.ts";
import type { Quote } from "../../shared/contract/quote.ts";
import type { Run, RunInput } from "../../shared/contract/runs.ts";
import { isTerminal } from "../../shared/run-status.ts";
import { ServiceError } from "../../shared/client/service-error.ts";
import { OutputView } from "../output/OutputView.tsx";
import { Button } from "../parts/Button.tsx";
import { TextField } from "../parts/Field.tsx";
import { Money } from "../parts/Money.tsx";
import { SameCall } from "../parts/SameCall.tsx";
import { Section } from "../parts/Screen.tsx";
import { Problem } from "../parts/Shown.tsx";
import { Status } from "../parts/Status.tsx";
import { href } from "../page/route.ts";
import { api, errorText } from "../service/api.ts";
import { useLive } from "../service/use-loaded.ts";
import { inertText } from "../words/inert-text.ts";
import { fieldKey, SchemaForm } from "../form/SchemaForm.tsx";
import { fieldsOf, inputParts, readField, type SchemaField, typedOf } from "../form/schema-fields.ts";

interface TryingProps {
  readonly endpoint: InspectResponse;
  readonly start: RunInput | undefined;
}

/** What a run answered with: its record, or what stands of it so far. */
type Outcome = Pick<Run, "runId" | "status"> & Partial<Pick<Run, "output" | "cost" | "error" | "reason" | "progress">>;

/** The form of an endpoint: its price is asked before the run, which is followed to its end. */
export function Trying({ endpoint, start }: TryingProps) {
  const fields = useMemo(() => fieldsOf(endpoint.input ?? {}), [endpoint]);
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(fields.map((field) => [fieldKey(field), typedOf(field, start?.[field.part]?.[field.name])])),
  );
  const [maxCost, setMaxCost] = useState("");
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const [refused, setRefused] = useState<string | undefined>(undefined);
  const [quote, setQuote] = useState<Quote | undefined>(undefined);
  const [outcome, setOutcome] = useState<Outcome | undefined>(undefined);

  const { input } = readAll(fields, typed);
  const request = {
    provider: endpoint.provider,
    endpoint: endpoint.endpoint,
    input,
    ...(Number(maxCost) > 0 && { maxCost: { value: Number(maxCost), currency: "USD" as const } }),
  };
  /** Whether what is typed can be sent; marks what cannot. */
  const check = () => {
    const found = readAll(fields, typed).problems;
    setProblems(found);
    setRefused(undefined);
    return Object.keys(found).length === 0;
  };
  const askPrice = async () => {
    if (!check()) return;
    setQuote(undefined);
    await api()
      .quoteRun({ body: request })
      .then(setQuote)
      .catch((error: unknown) => setRefused(errorText(error)));
  };
  const run = async () => {
    if (!check()) return;
    setOutcome(undefined);
    try {
      setOutcome(
        (await api().startRun(
          { body: { ...request, wait: 0 } },
          {
            headers: { "idempotency-key": crypto.randomUUID() },
          },
        )) as Outcome,
      );
    } catch (error) {
      // 408 and 502 carry the run.
      const body = error instanceof ServiceError ? (error.body as Partial<Outcome> | undefined) : undefined;
      if (body?.runId !== undefined && body.status !== undefined) setOutcome(body as Outcome);
      else setRefused(errorText(error));
    }
  };

  return (
    <>
      <Section title="Run it">
        <form
          class="panel"
          aria-label="Input"
          onSubmit={(event) => {
            event.preventDefault();
            void askPrice();
          }}
        >
          {fields.length === 0 && <p class="muted">It takes no input.</p>}
          <SchemaForm
            fields={fields}
            typed={typed}
            problems={problems}
            onType={(field, value) => {
              setTyped((before) => ({ ...before, [fieldKey(field)]: value }));
              setQuote(undefined);
            }}
          />
          <div class="fields">
            <TextField
              label="It may cost at most"
              inputMode="decimal"
              value={maxCost}
              onInput={setMaxCost}
              help="In dollars; empty: no limit of its own"
            />
          </div>
          {refused !== undefined && <Problem text={refused} />}
          {quote !== undefined && <Quoted quote={quote} />}
          <div class="actions">
            <Button type="submit">Ask the price</Button>
            <Button kind="primary" icon="play" onPress={run} disabled={endpoint.unavailable !== undefined}>
              Run
            </Button>
          </div>
        </form>
      </Section>
      {outcome !== undefined && <Result outcome={outcome} onChange={setOutcome} />}
      <Section title="The same call">
        <SameCall
          provider={endpoint.provider}
          endpoint={endpoint.endpoint}
          input={input}
          maxCost={Number(maxCost) > 0 ? Number(maxCost) : undefined}
        />
      </Section>
    </>
  );
}

interface ReadInput {
  readonly input: Readonly<Record<string, Record<string, unknown>>>;
  readonly problems: Readonly<Record<string, string>>;
}

function readAll(fields: readonly SchemaField[], typed: Readonly<Record<string, string>>): ReadInput {
  const problems: Record<string, string> = {};
  const entries = inputParts.flatMap((part) => {
    const members = fields
      .filter((field) => field.part === part)
      .flatMap((field): [string, unknown][] => {
        try {
          const value = readField(field, typed[fieldKey(field)] ?? "");
          return value === undefined ? [] : [[field.name, value]];
        } catch (error) {
          problems[fieldKey(field)] = errorText(error);
          return [];
        }
      });
    return members.length === 0 ? [] : [[part, Object.fromEntries(members)] as const];
  });
  return { input: Object.fromEntries(entries), problems };
}

const REFUSALS: Readonly<Record<string, string>> = {
  wallet: "the wallet",
  maxCost: "your own limit",
  keyLimit: "the limit of the key",
  runCap: "a run cap",
  budget: "a budget",
};

function Quoted({ quote }: { readonly quote: Quote }) {
  return (
    <div class="figures" role="status">
      <div>
        <span class="figure-name">Likely</span>
        <Money amount={quote.estimate} />
      </div>
      <div>
        <span class="figure-name">At most</span>
        <Money amount={quote.maximum} />
      </div>
      <div>
        <span class="figure-name">Would it go through?</span>
        {quote.wouldBlock.length === 0 ? (
          <Status status={quote.approvalAbove === undefined ? "Yes" : "With an approval"} tone="good" />
        ) : (
          <Status status={`No: ${quote.wouldBlock.map(({ kind }) => REFUSALS[kind] ?? kind).join(", ")}`} tone="bad" />
        )}
      </div>
    </div>
  );
}

interface ResultProps {
  readonly outcome: Outcome;
  readonly onChange: (outcome: Outcome) => void;
}

/** The run of the form: followed by events, and where there are none by asking, until it has ended. */
function Result({ outcome, onChange }: ResultProps) {
  const { runId, error, reason } = outcome;
  const isOpen = !isTerminal(outcome);
  const read = () =>
    void api()
      .getRun({ params: { runId } })
      .then(onChange)
      .catch(() => {});
  useLive(["run"], ({ data }) => data["runId"] === runId && isOpen && read());
  useEffect(() => {
    if (!isOpen) return;
    const stop = new AbortController();
    const follow = async () => {
      while (!stop.signal.aborted) {
        const run = await api().getRun({ params: { runId }, query: { wait: 20 } }, { signal: stop.signal });
        onChange(run);
        if (isTerminal(run)) return;
      }
    };
    follow().catch(() => {});
    return () => stop.abort();
  }, [runId, isOpen]);
  const why = reason ?? (typeof error === "string" ? error : error?.message);
  return (
    <Section
      title="What it gave"
      aside={
        <span class="actions">
          <Status status={outcome.status} />
          <Money amount={outcome.cost} />
          <a href={href(["runs", runId])}>Its whole story</a>
        </span>
      }
    >
      {why !== undefined && <Problem text={why} />}
      {isOpen && (
        <p class="note" role="status">
          It is under way{outcome.progress === undefined ? "" : `: ${inertText(String(outcome.progress))}`}. You may
          leave this page; the run goes on.
        </p>
      )}
      {outcome.output !== undefined && outcome.output !== null && (
        <OutputView key={outcome.status} output={outcome.output} fileName={`run-${runId}`} />
      )}
    </Section>
  );
}
