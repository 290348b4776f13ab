import type { CliIo } from "../core/cli-io.ts";
import { durationWords } from "../../shared/words/duration-words.ts";
import { sanitizeText } from "../terminal/sanitize.ts";
import { terminalLook } from "../terminal/terminal-look.ts";

/** A line that shows that work is in progress; `stop` removes it. */
export interface Progress {
  update(text: string): void;
  stop(): void;
}

const frameMs = 150;
/** News that is read aloud, or kept in a log of a plain terminal, comes no more often. */
const spokenMs = 5_000;
const clearLine = "\r\u001b[2K";

/**
 * On a terminal a spinner with the time elapsed; where things are read in their order a line now and then, when there
 * is news; elsewhere nothing at all.
 */
export function startProgress(io: CliIo, quiet: boolean, text: string): Progress {
  if (quiet || !io.isTty.stderr) return { update: () => {}, stop: () => {} };
  return terminalLook(io.env).linear ? startSpoken(io, text) : startSpinner(io, text);
}

function startSpinner(io: CliIo, text: string): Progress {
  const startedAt = performance.now();
  const look = terminalLook(io.env);
  let shown = text;
  let turn = 0;
  let isStopped = false;
  // The first drawing waits for the timer: what is quicker than that needs no spinner, nor the code that draws it.
  const draw = async () => {
    const { progressLine } = await import("./progress-line.ts");
    if (isStopped) return;
    const elapsed = durationWords(Math.max(performance.now() - startedAt, 100));
    const state = { text: oneLine(shown), elapsed, turn: turn++ };
    io.stderr.write(clearLine + progressLine(state, io.columns, look));
  };
  const timer = setInterval(() => void draw(), frameMs);
  timer.unref();
  return {
    update(next) {
      shown = next;
    },
    stop() {
      isStopped = true;
      clearInterval(timer);
      if (turn > 0) io.stderr.write(clearLine);
    },
  };
}

function startSpoken(io: CliIo, text: string): Progress {
  let [shown, told] = [text, ""];
  const timer = setInterval(() => {
    if (shown === told) return;
    told = shown;
    io.stderr.write(`${oneLine(shown)}\n`);
  }, spokenMs);
  timer.unref();
  return {
    update(next) {
      shown = next;
    },
    stop: () => clearInterval(timer),
  };
}

function oneLine(text: string): string {
  return sanitizeText(text).replace(/\s+/g, " ");
}
