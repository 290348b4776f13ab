import type { CliIo } from "../core/cli-io.ts";
import type { Settings } from "../connection/read-settings.ts";
import type { Output } from "../output/output.ts";

/**
 * Starts the local daemon in the background when it is the one meant (no address was set) and it does not run, and
 * says so on stderr. `MKT_NO_AUTOSTART` (any value but 0) turns it off. Returns whether one was started.
 * docs/command-line.md, "The local daemon".
 */
export async function autostartDaemon(settings: Settings, io: CliIo, output: Output): Promise<boolean> {
  // A daemon at a given address is not ours to start; the local daemon has an address only while its process is alive.
  if (settings.baseUrl !== undefined) return false;
  const turnedOff = io.env["MKT_NO_AUTOSTART"];
  if (turnedOff && turnedOff !== "0") return false;
  const { startLocalDaemon } = await import("./start-local-daemon.ts");
  const progress = output.progress("Starting the local daemon");
  const started = await startLocalDaemon(io, settings.places).finally(() => progress.stop());
  await output.note(`Started the local daemon at ${started.url} (to stop it: ${output.command("daemon", "stop")})`);
  return true;
}
