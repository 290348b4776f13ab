import { renderToString } from "ink";
import type { ComponentType } from "react";
import type { TerminalLook } from "../terminal/terminal-look.ts";
import { terminalText } from "../terminal/terminal-text.ts";
import { LookContext } from "./look.ts";
import { OwnCommand } from "./NextSteps.tsx";
import { TypingShell } from "./typing-shell.ts";
import { KeepVerbatim } from "./Verbatim.tsx";
import { VerbatimTexts } from "./verbatim-texts.ts";
import type { ViewProps } from "./view.ts";
import type { Shell } from "../../shared/hints/shell-words.ts";

export interface Drawing {
  readonly color: boolean;
  readonly look: TerminalLook;
  /** What the commands on the screen are quoted for. */
  readonly shell: Shell;
  readonly toOwnCommand: (command: string) => string;
}

/** Draws a screen once. What it is given must be sanitized: the escape sequences of the result are ink's own. */
export function drawScreen<Value>(
  Screen: ComponentType<ViewProps<Value>>,
  props: ViewProps<Value>,
  { color, look, shell, toOwnCommand }: Drawing,
): string {
  const verbatim = new VerbatimTexts();
  const screen = (
    <LookContext.Provider value={{ columns: props.columns, linear: look.linear }}>
      <TypingShell value={shell}>
        <OwnCommand value={toOwnCommand}>
          <KeepVerbatim value={verbatim.keep}>
            <Screen {...props} />
          </KeepVerbatim>
        </OwnCommand>
      </TypingShell>
    </LookContext.Provider>
  );
  const drawn = verbatim.putInto(renderToString(screen, { columns: props.columns }));
  return terminalText(drawn, { color, unicode: look.unicode });
}
