import { useState } from "preact/hooks";
import type { Schedule, ScheduleRequest } from "../../shared/contract/schedules.ts";
import { errorText } from "../../shared/error-text.ts";
import { AmountField, AreaField, Choice, TextField } from "../parts/Field.tsx";
import { FormDialog } from "../parts/FormDialog.tsx";
import { api } from "../service/api.ts";
import { useOnce } from "../service/use-once.ts";
import { typedMicros } from "../words/typed-amount.ts";
import { numberAsTyped } from "../words/typed-number.ts";
import { eachPeriod } from "./periods.ts";

interface ScheduleFormProps {
  /** The one that is changed; absent: a new one. */
  readonly of?: Schedule | undefined;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** What runs, and when. A change acts on the schedule as it was read: if somebody else changed it since, the service says so. */
export function ScheduleForm({ of, onClose, onDone }: ScheduleFormProps) {
  const [form, setForm] = useState(() => valuesOf(of));
  const once = useOnce(JSON.stringify(form));
  const set = (name: keyof typeof form) => (value: string) => setForm({ ...form, [name]: value });
  const send = async () => {
    const { name, cron, timeZone } = form;
    const input = typedInput(form.input);
    const maxCost = typedMoney(form.maxCost, "what a run may cost");
    const amount = typedMoney(form.budget, "what its runs may cost together");
    const budget = amount && { amount, period: form.period };
    const pauseAfterFailures = typedFailures(form.failures);
    if (of === undefined) {
      const body = {
        ...endpointOf(form.endpoint),
        cron,
        timeZone,
        input,
        pauseAfterFailures,
        ...(name !== "" && { name }),
        ...(maxCost !== undefined && { maxCost }),
        ...(budget !== undefined && { budget }),
      };
      await api().createSchedule({ body }, { headers: once.headers });
    } else {
      await api().updateSchedule({
        params: { scheduleId: of.scheduleId },
        body: {
          cron,
          timeZone,
          input,
          name: name === "" ? null : name,
          maxCost: maxCost ?? null,
          budget: budget ?? null,
          pauseAfterFailures,
          revision: of.revision,
        },
      });
    }
    onDone();
  };
  return (
    <FormDialog
      title={of === undefined ? "Make a schedule" : "Change the schedule"}
      submit={of === undefined ? "Make it" : "Save"}
      onSubmit={send}
      onClose={onClose}
    >
      {of === undefined && (
        <TextField
          label="Endpoint"
          required
          placeholder="atlas/time/now"
          help="Provider and path"
          value={form.endpoint}
          onInput={set("endpoint")}
        />
      )}
      <TextField
        label="When"
        required
        placeholder="0 7 * * 1-5"
        help="Minute, hour, day, month and day of the week"
        value={form.cron}
        onInput={set("cron")}
      />
      <TextField label="Time zone" required value={form.timeZone} onInput={set("timeZone")} />
      <TextField label="Name" value={form.name} onInput={set("name")} />
      <AmountField
        label="A run may cost"
        placeholder="0.50"
        help="US dollars; empty: what its price says"
        value={form.maxCost}
        onInput={set("maxCost")}
      />
      <div class="fields">
        <AmountField
          label="Its runs may cost together"
          placeholder="5"
          help="US dollars; empty: no budget of its own"
          value={form.budget}
          onInput={set("budget")}
        />
        <Choice
          label="In each"
          value={form.period}
          options={eachPeriod}
          onChoose={(period) => setForm({ ...form, period })}
        />
      </div>
      <TextField
        label="It pauses after"
        inputMode="numeric"
        help="Failures in a row"
        value={form.failures}
        onInput={set("failures")}
      />
      <AreaField label="Input" help="JSON" value={form.input} onInput={set("input")} />
    </FormDialog>
  );
}

/** After so many in a row the service pauses a schedule that says nothing else. */
const USUAL_FAILURES = 5;

function valuesOf(of: Schedule | undefined) {
  return {
    endpoint: "",
    cron: of?.cron ?? "",
    timeZone: of?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    name: of?.name ?? "",
    maxCost: of?.maxCost === undefined ? "" : numberAsTyped(of.maxCost.value),
    budget: of?.budget === undefined ? "" : numberAsTyped(of.budget.amount.value),
    period: of?.budget?.period ?? "MONTH",
    failures: String(of?.pauseAfterFailures ?? USUAL_FAILURES),
    input: of === undefined ? "{}" : JSON.stringify(of.input, null, 2),
  };
}

function endpointOf(text: string): Pick<ScheduleRequest, "provider" | "endpoint"> {
  const [, provider, endpoint] = /^\s*([^/\s]+)(\/\S+)\s*$/.exec(text) ?? [];
  if (provider === undefined || endpoint === undefined) {
    throw new Error("Type the endpoint as provider and path, such as atlas/time/now.");
  }
  return { provider, endpoint };
}

function typedInput(text: string): NonNullable<ScheduleRequest["input"]> {
  try {
    return JSON.parse(text.trim() === "" ? "{}" : text) as NonNullable<ScheduleRequest["input"]>;
  } catch (error) {
    throw new Error(`The input is not JSON: ${errorText(error)}`, { cause: error });
  }
}

function typedFailures(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new Error("Type after how many failures it pauses, such as 5.");
  return count;
}

function typedMoney(text: string, what: string): ScheduleRequest["maxCost"] {
  if (text.trim() === "") return undefined;
  const micros = typedMicros(text);
  if (micros === undefined) throw new Error(`Type ${what} in dollars, such as 0.50.`);
  return { value: micros / 1_000_000, currency: "USD" };
}
