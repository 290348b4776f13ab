import { Field } from "../parts/Field.tsx";
import { inertText } from "../words/inert-text.ts";
import { limitsOf, type SchemaField } from "./schema-fields.ts";

interface SchemaFormProps {
  readonly fields: readonly SchemaField[];
  readonly typed: Readonly<Record<string, string>>;
  readonly problems: Readonly<Record<string, string>>;
  readonly onType: (field: SchemaField, value: string) => void;
}

/** A field's key among those of all parts. */
export function fieldKey({ part, name }: Pick<SchemaField, "part" | "name">): string {
  return `${part}.${name}`;
}

/** Controls for what an endpoint takes, each with its limits. */
export function SchemaForm({ fields, typed, problems, onType }: SchemaFormProps) {
  return (
    <div class="fields">
      {fields.map((field) => {
        const key = fieldKey(field);
        const { description } = field.schema;
        const words = [typeof description === "string" ? inertText(description) : "", inertText(limitsOf(field))];
        return (
          <Field
            key={key}
            label={inertText(field.name)}
            required={field.required}
            problem={problems[key]}
            help={words.filter((part) => part !== "").join(" · ")}
          >
            {(ids) => <Control ids={ids} field={field} value={typed[key] ?? ""} onType={onType} />}
          </Field>
        );
      })}
    </div>
  );
}

interface ControlProps {
  readonly ids: object;
  readonly field: SchemaField;
  readonly value: string;
  readonly onType: SchemaFormProps["onType"];
}

function Control({ ids, field, value, onType }: ControlProps) {
  const { kind, options, required } = field;
  if (kind === "choice" || kind === "boolean") {
    return (
      <select {...ids} value={value} onChange={(event) => onType(field, event.currentTarget.value)}>
        {(!required || value === "") && <option value="">–</option>}
        {(kind === "boolean" ? ["true", "false"] : options.map(String)).map((option) => (
          <option key={option} value={option}>
            {inertText(option)}
          </option>
        ))}
      </select>
    );
  }
  if (kind === "list" || kind === "json") {
    return (
      <textarea
        {...ids}
        rows={3}
        value={value}
        spellcheck={false}
        onInput={(event) => onType(field, event.currentTarget.value)}
      />
    );
  }
  return (
    <input
      {...ids}
      type="text"
      {...(kind !== "text" && { inputMode: kind === "integer" ? "numeric" : "decimal" })}
      autoComplete="off"
      spellcheck={false}
      value={value}
      placeholder={placeholderOf(field)}
      onInput={(event) => onType(field, event.currentTarget.value)}
    />
  );
}

function placeholderOf({ schema }: SchemaField): string {
  const { examples, example } = schema;
  const shown = Array.isArray(examples) ? (examples[0] as unknown) : example;
  return typeof shown === "string" || typeof shown === "number" ? inertText(String(shown)) : "";
}
