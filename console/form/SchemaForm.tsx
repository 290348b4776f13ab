import { Field } from "../parts/Field.tsx";
import { inertText } from "../words/inert-text.ts";
import { numberAsTyped } from "../words/typed-number.ts";
import { limitsOf } from "./limits-words.ts";
import { optionText, type SchemaField } from "./schema-fields.ts";
import { fieldKey, type Typed } from "./typed-input.ts";

interface SchemaFormProps {
  readonly fields: readonly SchemaField[];
  readonly typed: Typed;
  readonly problems: Readonly<Record<string, string>>;
  readonly onType: (field: SchemaField, value: string) => void;
}

/** Controls for what an endpoint takes, each with its limits. */
export function SchemaForm({ fields, typed, problems, onType }: SchemaFormProps) {
  return (
    <div class="fields">
      {fields.map((field) => {
        const key = fieldKey(field);
        const { description } = field.schema;
        const words = [typeof description === "string" ? inertText(description) : "", inertText(limitsOf(field))];
        const isWide = field.kind === "json" || field.kind === "list";
        return (
          <div key={key} class={isWide ? "wide" : undefined}>
            <Field
              label={labelOf(field)}
              required={field.required}
              problem={problems[key]}
              help={words.filter((part) => part !== "").join(" · ")}
            >
              {(ids) => <Control ids={ids} field={field} value={typed[key] ?? ""} onType={onType} />}
            </Field>
          </div>
        );
      })}
    </div>
  );
}

const PART_WORDS = { pathParams: "the path", queryParams: "the query", body: "the body" } as const;

function labelOf({ place, part, name }: SchemaField): string {
  if (place === "member") return inertText(name);
  return place === "part" ? `Members of ${PART_WORDS[part]}` : `Further members of ${PART_WORDS[part]}`;
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
        {(!required || value === "") && (
          <option value="">{"empty" in field ? JSON.stringify(field.empty) : "–"}</option>
        )}
        {(kind === "boolean" ? ["true", "false"] : options.map(optionText)).map((option) => (
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
        rows={kind === "json" ? 5 : 3}
        value={value}
        spellcheck={false}
        {...("empty" in field && { placeholder: placeholderOf(field) })}
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

function placeholderOf({ schema, ...field }: SchemaField): string {
  if ("empty" in field) return JSON.stringify(field.empty);
  const { examples, example } = schema;
  const shown = Array.isArray(examples) ? (examples[0] as unknown) : example;
  if (typeof shown === "number") return numberAsTyped(shown);
  return typeof shown === "string" ? inertText(shown) : "";
}
