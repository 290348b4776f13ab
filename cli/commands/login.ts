import { checkApiUrl, isSameAddress, plainAddress } from "../connection/api-url.ts";
import { askLine } from "../input/ask.ts";
import { usageError } from "../cli-error.ts";
import { Command } from "../help/command.ts";
import type { CliContext } from "../context.ts";
import { confirmReplacing } from "../profiles/confirm-replacing.ts";
import { canAsk, type KeyFlags, keyStdinFlag, readGivenKey } from "../profiles/given-key.ts";
import { checkProfileName, findProfile, type Profile, withCurrent, withProfile } from "../profiles/profile.ts";
import { readProfiles } from "../profiles/profile-file.ts";
import { changeProfiles } from "../profiles/write-profiles.ts";
import { showProfile, warnOfPlainText } from "./profile.ts";

const withoutTerminal = "mkt login --api-url <url> --key-file <file>";

export function loginCommand(context: CliContext): Command {
  return new Command("login")
    .description("Check an address and a key, store them as a profile, and take it into use")
    .argument("[name]", "name of the profile; without one, that of the host")
    .option(...keyStdinFlag)
    .examples("mkt login prod --api-url https://market.example.org --key-file key.txt")
    .addHelpText("after", "\nAt a terminal what is missing is asked for. Without one, give the address and the key.")
    .action(async (name: string | undefined, flags: KeyFlags) => {
      const apiUrl = await readAddress(context, name === undefined ? undefined : await storedProfile(context, name));
      const chosen = checkProfileName(name ?? nameOf(apiUrl));
      const profile = await readProfile(context, { name: chosen, apiUrl }, flags);
      await warnOfPlainText(context, profile.apiUrl, profile.key);
      await greet(context, profile);
      await changeProfiles(context.places.configDir, (stored) =>
        withCurrent(withProfile(stored, chosen, profile), chosen),
      );
      context.forgetSettings();
      await showProfile(context, chosen);
    });
}

async function storedProfile(context: CliContext, name: string): Promise<Profile | undefined> {
  return findProfile(await readProfiles(context.places.configDir), checkProfileName(name));
}

/** Of the profile that has the name already the workspace stays, where it is for the same address. */
async function readProfile(
  context: CliContext,
  { name, apiUrl }: { name: string; apiUrl: string },
  flags: KeyFlags,
): Promise<Profile & { key: string }> {
  const stored = await storedProfile(context, name);
  const isSame = stored !== undefined && isSameAddress(stored.apiUrl, apiUrl);
  if (stored !== undefined && !isSame) await confirmReplacing(context, name, { before: stored, apiUrl });
  // With its address: MKT_API_URL may have named another one than was thought of.
  const key = await readGivenKey(context, flags, `API key for ${apiUrl} (not shown): `);
  if (key === undefined) {
    throw usageError("A log-in needs the API key: --key-file <file>, or --key-stdin.", withoutTerminal);
  }
  const workspace = context.flags.workspace ?? (isSame ? stored.workspace : undefined);
  return { apiUrl, key, ...(workspace !== undefined && { workspace }) };
}

/** To log in again, the name is enough. */
async function readAddress(context: CliContext, stored: Profile | undefined): Promise<string> {
  const { flags, io } = context;
  const given = flags.apiUrl ?? (io.env["MKT_API_URL"] || stored?.apiUrl);
  const address = given || (canAsk(context) ? (await askLine(io, "Address of the deployment: ")).trim() : "");
  if (address === "") throw usageError("A log-in needs an address: --api-url <url>.", withoutTerminal);
  checkApiUrl(address, given ? "The address" : "What you typed");
  return plainAddress(address);
}

/** Nothing is stored that the service does not take. */
async function greet(context: CliContext, { apiUrl, key, workspace }: Profile & { key: string }): Promise<void> {
  context.useSettings({
    places: context.places,
    profile: { name: "", from: "default" },
    baseUrl: { value: apiUrl, from: "mkt login" },
    key: { value: key, from: "mkt login" },
    ...(workspace !== undefined && { workspace: { value: workspace, from: "mkt login" } }),
  });
  const client = await context.client();
  const { user } = await client.whoami();
  await context.output.note(`${apiUrl} takes the key: you are ${user.username || user.userId}.`);
}

/** `market.example.org`, or with its port `127.0.0.1-7717`. */
function nameOf(apiUrl: string): string {
  return new URL(apiUrl).host.replace(/[^A-Za-z0-9.-]+/g, "-").replace(/^[.-]+/, "");
}
