import stringWidth from "string-width";
import type { TerminalLook } from "../terminal/terminal-look.ts";
import { toAscii } from "../terminal/to-ascii.ts";
import { shortenText } from "../screen/shorten-text.ts";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const asciiFrames = ["|", "/", "-", "\\"];

export interface ProgressState {
  /** One line of text, sanitized. */
  readonly text: string;
  /** Time since the beginning, as words. */
  readonly elapsed: string;
  /** Which turn of the spinner, counted from 0. */
  readonly turn: number;
}

/** The line of a spinner, no wider than the terminal: of a text that is too long the end gives way, not the time. */
export function progressLine({ text, elapsed, turn }: ProgressState, columns: number, look: TerminalLook): string {
  const turns = look.unicode ? frames : asciiFrames;
  const room = columns - elapsed.length - 4;
  const shown = shortenText(look.unicode ? text : toAscii(text), Math.max(room, 0));
  const line = `${turns[turn % turns.length]} ${shown} ${elapsed}`;
  const readable = look.unicode ? line : toAscii(line);
  // A full last column would move some terminals to the next line.
  return stringWidth(readable) < columns ? readable : readable.slice(0, Math.max(0, columns - 1));
}
