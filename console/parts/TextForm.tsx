import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { errorText } from "../../shared/error-text.ts";
import { type Once, useOnce } from "../service/use-once.ts";
import { Button } from "./Button.tsx";
import { TextField } from "./Field.tsx";
import { Problem } from "./Shown.tsx";

interface TextFormProps<Name extends string> {
  readonly fields: readonly {
    readonly name: Name;
    readonly label: string;
    readonly placeholder?: string;
    readonly help?: string;
    readonly optional?: boolean;
  }[];
  readonly submit: string;
  /** Gets what was typed, without spaces around it; what is not needed may be empty. */
  readonly onSubmit: (typed: Readonly<Record<Name, string>>, headers: Once["headers"]) => Promise<unknown>;
  /** Further controls. */
  readonly children?: ComponentChildren;
}

/** A few texts and the button that sends them. */
export function TextForm<Name extends string>({ fields, submit, onSubmit, children }: TextFormProps<Name>) {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [isPressed, setPressed] = useState(false);
  const [refused, setRefused] = useState<string | undefined>(undefined);
  const valueOf = (name: Name) => typed[name]?.trim() ?? "";
  const once = useOnce(JSON.stringify(typed));
  const send = async () => {
    setRefused(undefined);
    setPressed(true);
    if (fields.some(({ name, optional }) => !optional && valueOf(name) === "")) return;
    try {
      const values = Object.fromEntries(fields.map(({ name }) => [name, valueOf(name)])) as Record<Name, string>;
      await onSubmit(values, once.headers);
      once.done();
      setTyped({});
      setPressed(false);
    } catch (error) {
      setRefused(errorText(error));
    }
  };
  return (
    <form
      class="filters"
      aria-label={submit}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div class="fields">
        {fields.map(({ name, optional = false, ...field }) => (
          <TextField
            key={name}
            {...field}
            value={typed[name] ?? ""}
            problem={isPressed && !optional && valueOf(name) === "" ? "Type it first." : undefined}
            onInput={(value) => setTyped({ ...typed, [name]: value })}
          />
        ))}
        {children}
      </div>
      {refused !== undefined && <Problem text={refused} />}
      <Button kind="primary" type="submit" icon="plus">
        {submit}
      </Button>
    </form>
  );
}
