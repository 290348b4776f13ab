import { confirm } from "../input/confirm.ts";
import type { CliContext } from "../command/context.ts";
import type { Profile } from "../connection/profile.ts";

/** Asks before a name stands for another deployment: its key goes, and later commands mean another service. */
export async function confirmReplacing(
  context: CliContext,
  name: string,
  { before, apiUrl }: { before: Profile; apiUrl: string },
): Promise<void> {
  const question = `The profile ${name} is for ${before.apiUrl}. Replace it with ${apiUrl}?`;
  await confirm(context, question, { needsYes: true });
}
