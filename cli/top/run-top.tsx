import { render } from "ink";
import type { Client } from "../../shared/client/client.ts";
import { errorText } from "../../shared/error-text.ts";
import { wantsColor } from "../terminal/color.ts";
import type { CliContext } from "../command/context.ts";
import { exitCodes } from "../core/exit-codes.ts";
import { sanitizeText, sanitizeValue } from "../terminal/sanitize.ts";
import { terminalLook } from "../terminal/terminal-look.ts";
import { terminalText } from "../terminal/terminal-text.ts";
import type { TopReader } from "./read-top.ts";
import type { TopActions } from "./press-key.ts";
import { TopApp, type TopEnd } from "./TopApp.tsx";
import type { TopSnapshot } from "./top-snapshot.ts";

const EVERY_MS = 2_000;
const LONGEST_MS = 30_000;
const PATIENCE_MS = 15_000;

/** On a screen of its own, as pagers have, so that what stood there before is there again afterwards. */
const enterScreen = "\u001b[?1049h\u001b[H";
const leaveScreen = "\u001b[?1049l";

/** Shows the dashboard until it is left. Everything from the service is sanitized before it is drawn. */
export async function runTop(
  context: CliContext,
  client: Client,
  reader: TopReader,
  first: TopSnapshot,
): Promise<void> {
  const { io } = context;
  const stdout = readableStdout(context);
  const source = {
    read: async (signal: AbortSignal) => sanitizeValue(await reader.read(signal)),
    everyMs: EVERY_MS,
    longestMs: LONGEST_MS,
    patienceMs: PATIENCE_MS,
  };
  io.stdout.write(enterScreen);
  const app = render(
    <TopApp
      first={sanitizeValue(first)}
      source={source}
      actions={actionsOf(client)}
      onClose={() => void io.stdout.write(leaveScreen)}
    />,
    {
      stdout,
      stdin: io.stdin as NodeJS.ReadStream,
      exitOnCtrlC: false,
      patchConsole: false,
      isScreenReaderEnabled: false,
    },
  );
  const end = (await app.waitUntilExit()) as TopEnd | undefined;
  if (end === "interrupted") context.exitCode = exitCodes.interrupted;
}

function actionsOf(client: Client): TopActions {
  const explain = (error: unknown): never => {
    throw new Error(sanitizeText(errorText(error)));
  };
  return {
    open: async (runId) => sanitizeValue(await client.getRun({ params: { runId } }).catch(explain)),
    stop: async (runId) => void (await client.stopRun({ params: { runId } }).catch(explain)),
  };
}

/** The terminal, with what it cannot show replaced on the way. */
function readableStdout({ io, flags }: CliContext): NodeJS.WriteStream {
  const look = { color: wantsColor(flags, io.env, io.isTty.stdout), unicode: terminalLook(io.env).unicode };
  const stdout = io.stdout as NodeJS.WriteStream;
  const write = (text: string | Uint8Array, ...rest: never[]) =>
    stdout.write(typeof text === "string" ? terminalText(text, look) : text, ...rest);
  return new Proxy(stdout, {
    get: (target, name) => {
      if (name === "write") return write;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
