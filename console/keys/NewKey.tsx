import { useState } from "preact/hooks";
import type { ControlPeriod } from "../../shared/contract/controls.ts";
import type { Scope } from "../../shared/contract/scopes.ts";
import { errorText } from "../../shared/error-text.ts";
import { now } from "../page/now.ts";
import { say } from "../page/toasts.ts";
import { Button } from "../parts/Button.tsx";
import { Copied } from "../parts/Copied.tsx";
import { AmountField, Choice, TextField } from "../parts/Field.tsx";
import { Screen, Section } from "../parts/Screen.tsx";
import { Problem, Shown } from "../parts/Shown.tsx";
import { api } from "../service/api.ts";
import { caller } from "../service/rights.ts";
import { session } from "../service/session.ts";
import { type Loaded, useLoaded } from "../service/use-loaded.ts";
import { useOnce } from "../service/use-once.ts";
import { moneyText, toMicros } from "../words/amounts.ts";
import { inertText } from "../words/inert-text.ts";
import { statusText } from "../words/statuses.ts";
import { shortTime } from "../words/times.ts";
import { hasLimits, keyCommand, type KeyForm, type KeyFormProblems, readKeyForm } from "./key-form.ts";
import { rolesToGive, type ScopeToGive, scopesToGive } from "./key-rights.ts";

/** A key that was made just now. Its text is in this page's memory alone. */
interface Made {
  readonly label: string;
  /** Absent when the key was made, but the answer that had it was lost. */
  readonly key: string | undefined;
}

/** `#/keys/new`: a key for a program or a person, never with more than this one has. */
export function NewKey() {
  const scopes = useLoaded("scopes", async (client, signal) => scopesToGive(await client.listScopes({}, { signal })));
  const [made, setMade] = useState<Made | undefined>(undefined);
  return (
    <Screen title="New key" name="New key" lead="For a program or a person. What it may is fixed when it is made.">
      {made === undefined ? <Form scopes={scopes} onMade={setMade} /> : <MadeKey {...made} />}
    </Screen>
  );
}

function MadeKey({ label, key }: Made) {
  return (
    <Section title={`The key ${inertText(label)}`}>
      {key === undefined ? (
        <Problem text="The key was made, but the answer that had it was lost. Revoke it, and make another." />
      ) : (
        <>
          <p class="note" role="status">
            Keep it now: it is shown only here, until you leave this page.
          </p>
          <Copied text={key} label="The key" />
        </>
      )}
      <p class="below">
        <a href="#/keys">All keys</a>
      </p>
    </Section>
  );
}

const EMPTY: KeyForm = {
  label: "",
  rights: "chosen",
  scopes: [],
  limit: "",
  period: "DAY",
  expires: "",
  providers: "",
  endpoints: "",
};

const RIGHTS: Readonly<Record<KeyForm["rights"], string>> = {
  member: "Member: finds and runs, and sees its own runs",
  manager: "Manager: also money, controls and members' keys",
  owner: "Owner: everything that this key may",
  chosen: "What is ticked below",
};

interface FormProps {
  readonly scopes: Loaded<readonly ScopeToGive[]>;
  readonly onMade: (made: Made) => void;
}

function Form({ scopes, onMade }: FormProps) {
  const roles = rolesToGive();
  const own = caller.value?.credential?.spendLimit;
  const [form, setForm] = useState<KeyForm>({
    ...EMPTY,
    rights: roles[0] ?? "chosen",
    ...(own !== undefined && { period: own.period }),
  });
  const [problems, setProblems] = useState<KeyFormProblems>({});
  const [refused, setRefused] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const once = useOnce(JSON.stringify(form));
  const mustEnd = session.value?.expiresAt;
  const read = readKeyForm(form, now.value, mustEnd);
  const set =
    <Name extends keyof KeyForm>(name: Name) =>
    (value: KeyForm[Name]) =>
      setForm((before) => ({ ...before, [name]: value }));
  const send = async () => {
    // The answer to a second press would be that of a repeat, which has no key.
    if (isBusy) return;
    setProblems(read.problems);
    setRefused(undefined);
    if (Object.keys(read.problems).length > 0) return;
    setBusy(true);
    try {
      const { label, key } = await api().createApiKey({ body: read.request }, { headers: once.headers });
      once.done();
      onMade({ label, key });
      say("The key is made.");
    } catch (error) {
      setRefused(errorText(error));
      setBusy(false);
    }
  };
  return (
    <>
      <form
        class="panel section"
        aria-label="New key"
        aria-busy={isBusy}
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <div class="fields">
          <TextField label="Name" placeholder="ci" value={form.label} problem={problems.label} onInput={set("label")} />
          <Choice
            label="It may"
            value={form.rights}
            options={[...roles, "chosen" as const].map((one) => [one, RIGHTS[one]])}
            onChoose={set("rights")}
          />
        </div>
        {form.rights === "chosen" && (
          <Shown of={scopes}>
            {(all) => <ScopeBoxes all={all} ticked={form.scopes} problem={problems.scopes} onTick={set("scopes")} />}
          </Shown>
        )}
        <div class="fields">
          <AmountField
            label="Spends at most"
            placeholder="5"
            help={
              own === undefined
                ? "US dollars; empty: no limit of its own"
                : `US dollars, at most ${moneyText(toMicros(own.amount))} as this key`
            }
            value={form.limit}
            problem={problems.limit}
            onInput={set("limit")}
          />
          <Choice
            label="In each"
            value={form.period}
            options={PERIODS.filter((period) => own === undefined || period === own.period).map((period) => [
              period,
              statusText(period),
            ])}
            onChoose={set("period")}
          />
          <TextField
            label="Ends"
            type="datetime-local"
            help={
              mustEnd === undefined
                ? "Empty: never, or with this key"
                : `Empty: with this session, ${shortTime(mustEnd, now.value)}`
            }
            value={form.expires}
            problem={problems.expires}
            onInput={set("expires")}
          />
          <TextField
            label="Only these providers"
            placeholder="atlas"
            help="Empty: all that this key may run"
            value={form.providers}
            onInput={set("providers")}
          />
          <TextField
            label="Only these endpoints"
            placeholder="atlas/sun"
            help="With commas between them"
            value={form.endpoints}
            problem={problems.endpoints}
            onInput={set("endpoints")}
          />
        </div>
        {refused !== undefined && <Problem text={refused} />}
        <div class="actions">
          <Button kind="primary" type="submit" icon="plus">
            Make the key
          </Button>
        </div>
      </form>
      <Section title="A key that is to last">
        {mustEnd !== undefined && (
          <p class="below">A key that is made here ends with this session. For one that stays, type:</p>
        )}
        {hasLimits(form, read.request) ? (
          <Copied text={keyCommand(read.request)} label="Command" />
        ) : (
          <p class="muted">It is written once its limit is an amount and its end a time.</p>
        )}
      </Section>
    </>
  );
}

const PERIODS: readonly ControlPeriod[] = ["HOUR", "DAY", "WEEK", "MONTH"];

interface ScopeBoxesProps {
  readonly all: readonly ScopeToGive[];
  readonly ticked: readonly Scope[];
  readonly problem: string | undefined;
  readonly onTick: (ticked: readonly Scope[]) => void;
}

function ScopeBoxes({ all, ticked, problem, onTick }: ScopeBoxesProps) {
  return (
    <fieldset class="boxes">
      <legend class="label">Scopes</legend>
      {problem !== undefined && (
        <p class="help bad" role="alert">
          {problem}
        </p>
      )}
      {all.map(({ scope, description }) => (
        <label key={scope}>
          <input
            type="checkbox"
            checked={ticked.includes(scope)}
            onChange={({ currentTarget }) =>
              onTick(currentTarget.checked ? [...ticked, scope] : ticked.filter((one) => one !== scope))
            }
          />
          <span>
            <code>{scope}</code> <small class="muted">{description}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
