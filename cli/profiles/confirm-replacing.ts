import { confirm } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import type { Profile } from "./profile.ts";

/** Asks before a name stands for another deployment: its key goes, and later commands mean another service. */
export async function confirmReplacing(context: CliContext, name: string, before: Profile): Promise<void> {
  await confirm(context, `The profile ${name} stands for ${before.apiUrl}. Replace it?`, { needsYes: true });
}
