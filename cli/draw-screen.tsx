import { renderToString } from "ink";
import type { ComponentType } from "react";
import type { ViewProps } from "./views/view.ts";
import { OwnCommand } from "./views/NextSteps.tsx";

/** Draws a screen once. What it is given must be sanitized: the escape sequences of the result are ink's own. */
export function drawScreen<Value>(
  Screen: ComponentType<ViewProps<Value>>,
  props: ViewProps<Value>,
  { color, toOwnCommand }: { color: boolean; toOwnCommand: (command: string) => string },
): string {
  const screen = (
    <OwnCommand value={toOwnCommand}>
      <Screen {...props} />
    </OwnCommand>
  );
  const drawn = renderToString(screen, { columns: props.columns });
  return color ? drawn : drawn.replace(colorSequences, "");
}

// Ink decides about colours by the process's stdout when it is loaded; the flag and a test's streams come later.
// eslint-disable-next-line no-control-regex -- the sequences to take out begin with one
const colorSequences = /\u001b\[[0-9;]*m/g;
