import { renderToString } from "ink";
import type { ComponentType } from "react";
import type { TerminalLook } from "../terminal/terminal-look.ts";
import { terminalText } from "../terminal/terminal-text.ts";
import { LookContext } from "./look.ts";
import { OwnCommand } from "./NextSteps.tsx";
import { TypingShell } from "./typing-shell.ts";
import { KeepVerbatim } from "./Verbatim.tsx";
import type { ViewProps } from "./view.ts";
import type { Shell } from "../../shared/hints/shell-words.ts";

export interface Drawing {
  readonly color: boolean;
  readonly look: TerminalLook;
  /** What the commands on the screen are quoted for. */
  readonly shell: Shell;
  readonly toOwnCommand: (command: string) => string;
}

/** From here on there are 65,534 characters that no text needs: they are for private use. */
const firstMark = 0xf_0000;
const marks = /[\u{f0000}-\u{ffffd}]/gu;

/** Texts that are kept out of a screen while it is laid out. */
class VerbatimTexts {
  readonly #texts: string[] = [];

  /** Keeps a text and gives the character to be laid out in its place. */
  readonly keep = (text: string): string => {
    this.#texts.push(text);
    return String.fromCodePoint(firstMark + this.#texts.length - 1);
  };

  /** The screen with each text in its place. */
  putInto(screen: string): string {
    return screen.replace(marks, (mark) => this.#texts[(mark.codePointAt(0) ?? 0) - firstMark] ?? mark);
  }
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
