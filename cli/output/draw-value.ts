import type { CliIo } from "../core/cli-io.ts";
import type { GlobalFlags } from "../flags/global-flags.ts";
import type { View } from "../screen/view.ts";
import { wantsColor } from "../terminal/color.ts";
import { sanitizeValue } from "../terminal/sanitize.ts";
import { shellInUse } from "../terminal/shell-in-use.ts";
import { terminalLook } from "../terminal/terminal-look.ts";
import { ownCommand } from "./own-command.ts";

/** As wide as a screen gets with `--full`; the terminal wraps what does not fit it. */
const fullColumns = 400;

/** The screen of a value, as this invocation's terminal shows it. Ink and React are loaded here, when one is drawn. */
export async function drawValue<Value>(
  value: Value,
  view: View<Value>,
  { io, flags }: { readonly io: CliIo; readonly flags: GlobalFlags },
): Promise<string> {
  const [{ drawScreen }, component] = await Promise.all([import("../screen/draw-screen.tsx"), view()]);
  return drawScreen(
    component,
    {
      value: sanitizeValue(value),
      columns: flags.full ? fullColumns : io.columns,
      full: flags.full === true,
    },
    {
      color: wantsColor(flags, io.env, io.isTty.stdout),
      look: terminalLook(io.env),
      shell: shellInUse(io.env),
      toOwnCommand: (command) => ownCommand(command, flags),
    },
  );
}
