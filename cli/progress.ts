import type { CliIo } from "./cli-io.ts";
import { sanitizeText } from "./sanitize.ts";

/** A line that shows that something goes on; `stop` takes it away. */
export interface Progress {
  update(text: string): void;
  stop(): void;
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMs = 150;
const clearLine = "\r\u001b[2K";

/** On a terminal a spinner with the seconds elapsed; elsewhere nothing at all. */
export function startProgress(io: CliIo, quiet: boolean, text: string): Progress {
  if (quiet || !io.isTty.stderr || io.env["TERM"] === "dumb") return { update: () => {}, stop: () => {} };

  const startedAt = performance.now();
  let shown = text;
  let frame = 0;
  const draw = () => {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const line = `${frames[frame % frames.length]} ${oneLine(shown)} ${seconds} s`;
    frame += 1;
    io.stderr.write(clearLine + line.slice(0, Math.max(20, io.columns - 1)));
  };
  // The first drawing waits for the timer: what is quicker than that needs no spinner.
  const timer = setInterval(draw, frameMs);
  timer.unref();
  return {
    update(next) {
      shown = next;
    },
    stop() {
      clearInterval(timer);
      io.stderr.write(clearLine);
    },
  };
}

function oneLine(text: string): string {
  return sanitizeText(text).replace(/\s+/g, " ");
}
