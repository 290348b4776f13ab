import { useMemo, useRef, useState } from "preact/hooks";
import type { InspectResponse } from "../../shared/contract/inspect.ts";
import type { Quote } from "../../shared/contract/quote.ts";
import { toMoney } from "../../shared/micro-dollars.ts";
import { ServiceError } from "../../shared/client/service-error.ts";
import { errorText } from "../../shared/error-text.ts";
import { SchemaForm } from "../form/SchemaForm.tsx";
import { fieldsOf, type InputValues } from "../form/schema-fields.ts";
import { fieldKey, readInput, typedInput } from "../form/typed-input.ts";
import { Button } from "../parts/Button.tsx";
import { Choice, TextField } from "../parts/Field.tsx";
import { SameCall } from "../parts/SameCall.tsx";
import { Section } from "../parts/Screen.tsx";
import { Problem } from "../parts/Shown.tsx";
import { api } from "../service/api.ts";
import { useOnce } from "../service/use-once.ts";
import { moneyText, toMicros } from "../words/amounts.ts";
import { inertText } from "../words/inert-text.ts";
import { notAnAmount, typedMicros } from "../words/typed-amount.ts";
import { type Outcome, OutcomeView } from "./OutcomeView.tsx";
import { Quoted } from "./Quoted.tsx";

/** An input that the form may begin with. */
export interface Start {
  readonly name: string;
  readonly input: InputValues;
}

const UNDER_WAY = 409;
const USED_OTHERWISE = 422;
const MAY_HAVE_RUN =
  "This input was sent before at another price or limit, and no answer came: it may have run. Look under Runs first; pressing again makes another run.";

/** What was answered, and to which call. */
interface AnswerTo<Value> {
  readonly content: string;
  readonly value: Value;
}

interface TryingProps {
  readonly endpoint: InspectResponse;
  /** The first one is there when the form opens. */
  readonly starts: readonly Start[];
}

/** The form of an endpoint: first its price, then the run at that price at most, which is followed to its end. */
export function Trying({ endpoint, starts }: TryingProps) {
  const [start, setStart] = useState(0);
  const fields = useMemo(() => fieldsOf(endpoint.input ?? {}, starts[start]?.input), [endpoint, starts, start]);
  const [typed, setTyped] = useState(() => typedInput(fields, starts[0]?.input ?? {}));
  const [maxCost, setMaxCost] = useState("");
  const [isChecked, setChecked] = useState(false);
  const [refusal, setRefusal] = useState<AnswerTo<string> | undefined>(undefined);
  const [priced, setPriced] = useState<AnswerTo<Quote> | undefined>(undefined);
  const [outcome, setOutcome] = useState<Outcome | undefined>(undefined);

  const { input, problems } = readInput(fields, typed);
  const limit = maxCost.trim() === "" ? undefined : typedMicros(maxCost);
  const limitProblem = maxCost.trim() !== "" && limit === undefined ? notAnAmount(maxCost) : undefined;
  const called = {
    provider: endpoint.provider,
    endpoint: endpoint.endpoint,
    input,
    ...(limit !== undefined && { maxCost: toMoney(limit) }),
  };
  // An answer may come when something else is typed already: it is shown for what it was asked for alone.
  const content = JSON.stringify(called);
  const quote = priced?.content === content ? priced.value : undefined;
  const refused = refusal?.content === content ? refusal.value : undefined;
  const setRefused = (value: string | undefined) => setRefusal(value === undefined ? undefined : { content, value });
  // What the button says is what the run may cost, also when the price has changed since, and whatever limit is typed.
  const bound = quote === undefined ? undefined : toMicros(quote.maximum);
  const isLower = bound !== undefined && (limit === undefined || bound < limit);
  const request = { ...called, ...(isLower && { maxCost: toMoney(bound) }) };
  // Without the limit: the price may be asked for after the answer of a run was lost, which must not make it a second run.
  const once = useOnce(JSON.stringify([endpoint.provider, endpoint.endpoint, input]));
  const newestRun = useRef(0);
  /** Another input has another price. */
  const forget = () => {
    setPriced(undefined);
    setRefusal(undefined);
  };
  /** Whether what is typed can be sent; marks what cannot. */
  const check = () => {
    setChecked(true);
    setRefused(undefined);
    return Object.keys(problems).length === 0 && limitProblem === undefined;
  };
  const askPrice = async () => {
    if (!check()) return;
    await api()
      .quoteRun({ body: called })
      .then((value) => setPriced({ content, value }))
      .catch((error: unknown) => setRefused(errorText(error)));
  };
  const run = async () => {
    if (!check()) return;
    setOutcome(undefined);
    newestRun.current += 1;
    const own = newestRun.current;
    const show = (answer: Outcome) => own === newestRun.current && setOutcome(answer);
    try {
      const answer = await api().startRun({ body: { ...request, wait: 0 } }, { headers: once.headers });
      once.done();
      show(answer as Outcome);
    } catch (error) {
      const answer = error instanceof ServiceError ? error : undefined;
      const told = (answer?.body ?? {}) as Partial<Outcome>;
      const status = answer?.status ?? 0;
      // A 5xx without its run, or no answer at all, leaves open whether there is one: pressing again asks for the same.
      if (told.status !== undefined || (status >= 400 && status < 500 && status !== UNDER_WAY)) once.done();
      if (status === USED_OTHERWISE) setRefused(MAY_HAVE_RUN);
      else if (told.runId === undefined) setRefused(errorText(error));
      // 408 and 502 carry the run; the answer to a key that was sent before names the run that is under way.
      else show({ status: "RUNNING", ...told, runId: told.runId });
    }
  };

  return (
    <>
      <Section title="Run it">
        <form
          class="panel"
          aria-label="Input"
          // Enter presses the button that asks the price; it never runs anything.
          onSubmit={(event) => event.preventDefault()}
        >
          {starts.length > 1 && (
            <div class="fields">
              <Choice
                label="Begin with"
                value={`${start}`}
                options={starts.map(({ name }, index) => [`${index}`, inertText(name)] as const)}
                onChoose={(chosen) => {
                  const values = starts[Number(chosen)]?.input ?? {};
                  setStart(Number(chosen));
                  setTyped(typedInput(fieldsOf(endpoint.input ?? {}, values), values));
                  setChecked(false);
                  forget();
                }}
              />
            </div>
          )}
          {fields.length === 0 && <p class="muted">It takes no input.</p>}
          <SchemaForm
            fields={fields}
            typed={typed}
            problems={isChecked ? problems : {}}
            onType={(field, value) => {
              setTyped((before) => ({ ...before, [fieldKey(field)]: value }));
              forget();
            }}
          />
          <div class="fields apart">
            <TextField
              label="It may cost at most"
              inputMode="decimal"
              value={maxCost}
              onInput={(text) => {
                setMaxCost(text);
                forget();
              }}
              problem={isChecked ? limitProblem : undefined}
              help="In dollars; empty: no limit of its own"
            />
          </div>
          {refused !== undefined && <Problem text={refused} />}
          {quote !== undefined && <Quoted quote={quote} />}
          <Steps quote={quote} isOff={endpoint.unavailable !== undefined} onAsk={askPrice} onRun={run} />
        </form>
      </Section>
      {outcome !== undefined && <OutcomeView outcome={outcome} onChange={setOutcome} />}
      <Section title="The same call">
        {limitProblem === undefined ? (
          <SameCall {...called} maxCost={called.maxCost?.value} />
        ) : (
          <p class="muted">It is written once its limit is an amount.</p>
        )}
      </Section>
    </>
  );
}

interface StepsProps {
  readonly quote: Quote | undefined;
  readonly isOff: boolean;
  readonly onAsk: () => Promise<void>;
  readonly onRun: () => Promise<void>;
}

/** First the price, then the run: the step that is due stands out. */
function Steps({ quote, isOff, onAsk, onRun }: StepsProps) {
  if (quote === undefined) {
    return (
      <div class="actions">
        <Button kind="primary" onPress={onAsk} type="submit">
          Ask the price
        </Button>
        <Button icon="play" onPress={onRun} disabled={isOff}>
          Run without asking
        </Button>
      </div>
    );
  }
  const isRefused = quote.wouldBlock.length > 0;
  return (
    <div class="actions">
      <Button kind="primary" icon="play" onPress={onRun} disabled={isOff || isRefused}>
        Run for {priceText(quote)}
      </Button>
      <Button onPress={onAsk} type="submit">
        Ask again
      </Button>
    </div>
  );
}

function priceText({ estimate, maximum }: Quote): string {
  const [likely, most] = [toMicros(estimate), toMicros(maximum)];
  if (most === 0) return "nothing";
  return likely === most ? moneyText(most) : `${moneyText(most)} at most`;
}
