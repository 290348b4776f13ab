import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
  readonly label: string;
  readonly help?: ComponentChildren;
  readonly problem?: string | undefined;
  readonly required?: boolean;
  /** The control, given the names that tie it to its label and its help. */
  readonly children: (ids: { id: string; "aria-describedby": string; "aria-invalid": boolean }) => ComponentChildren;
}

/** A control with its label, what it takes, and what is wrong with it. */
export function Field({ label, help, problem, required = false, children }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>
        {label}
        {required && <span class="required"> required</span>}
      </label>
      {children({ id, "aria-describedby": `${id}-help`, "aria-invalid": problem !== undefined })}
      <p id={`${id}-help`} class={problem === undefined ? "help" : "help bad"}>
        {problem ?? help}
      </p>
    </div>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly help?: ComponentChildren;
  readonly type?: "text" | "search" | "password" | "datetime-local" | "date";
  readonly inputMode?: "decimal" | "numeric" | "url";
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly problem?: string | undefined;
}

export function TextField({
  label,
  value,
  onInput,
  help,
  problem,
  type = "text",
  required = false,
  ...rest
}: TextFieldProps) {
  return (
    <Field label={label} help={help} problem={problem} required={required}>
      {(ids) => (
        <input
          {...ids}
          {...rest}
          // Preact ties roles to types, one by one.
          type={type as "text"}
          required={required}
          value={value}
          autoComplete="off"
          spellcheck={false}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** Takes dollars as its reader writes them: console/words/typed-amount.ts reads them. */
export function AmountField({ help = "US dollars", ...field }: Omit<TextFieldProps, "type" | "inputMode">) {
  return <TextField {...field} inputMode="decimal" help={help} />;
}

type AreaFieldProps = Pick<TextFieldProps, "label" | "value" | "onInput" | "help">;

/** A text of several lines. */
export function AreaField({ label, value, onInput, help }: AreaFieldProps) {
  return (
    <Field label={label} help={help}>
      {(ids) => (
        <textarea
          {...ids}
          rows={5}
          spellcheck={false}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [Value, string])[];
  readonly onChoose: (value: Value) => void;
  readonly help?: ComponentChildren;
}

export function Choice<Value extends string>({ label, value, options, onChoose, help }: ChoiceProps<Value>) {
  return (
    <Field label={label} help={help}>
      {(ids) => (
        <select {...ids} value={value} onChange={(event) => onChoose(event.currentTarget.value as Value)}>
          {options.map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
