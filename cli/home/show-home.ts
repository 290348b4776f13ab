import type { CliContext } from "../command/context.ts";
import { readHome } from "./read-home.ts";

/** `mkt` alone: where you stand, and what to try. Always ends well: that no daemon runs is an answer too. */
export async function showHome(context: CliContext): Promise<void> {
  await context.output.show(await readHome(context), async () => (await import("./HomeScreen.tsx")).HomeScreen);
}
