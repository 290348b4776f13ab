import { spawn } from "node:child_process";
import type { CliIo } from "../core/cli-io.ts";

/**
 * Opens an address in the browser of this machine. False where there is probably none to open: without a terminal, over
 * SSH, or on a Linux without a screen. `BROWSER` names a program, as other commands have it.
 */
export function openBrowser({ env, isTty }: Pick<CliIo, "env" | "isTty">, address: string): boolean {
  // The address comes from the service: nothing but a web address is given to a program.
  if (!/^https?:$/.test(new URL(address).protocol)) return false;
  const [program, ...words] = browserCommand(env, isTty.stderr);
  if (program === undefined) return false;
  const child = spawn(program, [...words, address], { stdio: "ignore", detached: true, env: { ...env } });
  // Without it, the address was printed all the same.
  child.on("error", () => {});
  child.unref();
  return true;
}

function browserCommand(env: CliIo["env"], isWatched: boolean): readonly string[] {
  const named = env["BROWSER"];
  if (named !== undefined && named !== "") return [named];
  const isRemote = env["SSH_CONNECTION"] !== undefined || env["SSH_TTY"] !== undefined;
  if (!isWatched || isRemote) return [];
  if (process.platform === "darwin") return ["open"];
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  const hasScreen = (env["DISPLAY"] ?? env["WAYLAND_DISPLAY"] ?? "") !== "";
  return hasScreen ? ["xdg-open"] : [];
}
