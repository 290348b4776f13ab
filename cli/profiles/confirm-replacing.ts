import { confirm } from "../input/confirm.ts";
import type { CliContext } from "../command/context.ts";
import type { Profile } from "../connection/profile.ts";

/** Asks before a name is given to another deployment: its key is lost, and later commands use another service. */
export async function confirmReplacing(
  context: CliContext,
  name: string,
  { before, apiUrl }: { before: Profile; apiUrl: string },
): Promise<void> {
  const question = `The profile ${name} is for ${before.apiUrl}. Replace it with ${apiUrl}?`;
  await confirm(context, question, { needsYes: true });
}
