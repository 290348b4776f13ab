import { checkApiUrl, isSameAddress, plainAddress } from "../connection/api-url.ts";
import { askLine } from "../input/ask.ts";
import { usageError } from "../core/cli-error.ts";
import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { confirmReplacing } from "./confirm-replacing.ts";
import { canAsk, type KeyFlags, keyStdinFlag, readGivenKey } from "./given-key.ts";
import {
  checkProfileName,
  findProfile,
  getProfile,
  localProfile,
  type Profile,
  withCurrent,
  withProfile,
} from "../connection/profile.ts";
import { readProfiles } from "../connection/profile-file.ts";
import { changeProfiles } from "../connection/write-profiles.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { showProfile, warnOfPlainText } from "./profile-command.ts";

const withoutTerminal = "mkt login --api-url <url> --key-file <file>";

/** The profile that a log-in is for, as far as something names it. */
interface Named {
  readonly name: string;
  /** What named it, in words for errors. */
  readonly by: string;
  /** Absent for a profile that is to be made. */
  readonly stored?: Profile | undefined;
}

export function loginCommand(context: CliContext): Command {
  return new Command("login")
    .description("Check an address and a key, store them as a profile, and use it")
    .argument("[name]", "name of the profile (also --profile); by default the host name")
    .option(...keyStdinFlag)
    .examples(
      "mkt login prod --api-url https://market.example.org --key-file key.txt",
      "mkt login --profile prod --key-stdin < key.txt",
    )
    .addHelpText("after", "\nOn a terminal, missing values are asked for. For a stored profile only the key is needed.")
    .action(async (argument: string | undefined, flags: KeyFlags) => {
      const named = await readName(context, argument);
      const apiUrl = await readAddress(context, named);
      const chosen = checkProfileName(named?.name ?? nameOf(apiUrl));
      const profile = await readProfile(context, { name: chosen, apiUrl }, flags);
      await warnOfPlainText(context, profile.apiUrl, profile.key);
      await greet(context, chosen, profile);
      await changeProfiles(context.places.configDir, (stored) =>
        withCurrent(withProfile(stored, chosen, profile), chosen),
      );
      context.forgetSettings();
      await showProfile(context, chosen);
    });
}

/**
 * The profile of the argument, else of `--profile`. Where no address is given either, that of `MKT_PROFILE`, else the
 * one in use where it has no key: this is what it waits for. Rejects with a usage error for two names, and for the
 * local daemon.
 */
async function readName(context: CliContext, argument: string | undefined): Promise<Named | undefined> {
  const { flags, io, places } = context;
  if (argument !== undefined && flags.profile !== undefined && argument !== flags.profile) {
    const message = `Which profile: ${argument} or ${flags.profile}? Give the name once.`;
    throw usageError(message, shellLine("mkt", "login", argument));
  }
  const stored = await readProfiles(places.configDir);
  const named = (name: string, by: string): Named => ({
    name: checkProfileName(name),
    by,
    stored: findProfile(stored, name),
  });
  if (argument !== undefined) return named(argument, "as named");
  if (flags.profile !== undefined) return named(flags.profile, "--profile");
  if (givenAddress(context) !== undefined) return undefined;
  const fromEnvironment = io.env["MKT_PROFILE"];
  if (fromEnvironment) return fromEnvironment === localProfile ? undefined : named(fromEnvironment, "MKT_PROFILE");
  if (stored.current === undefined || findProfile(stored, stored.current)?.key !== undefined) return undefined;
  return named(stored.current, "mkt profile use");
}

function givenAddress({ flags, io }: CliContext): string | undefined {
  return flags.apiUrl ?? (io.env["MKT_API_URL"] || undefined);
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
    const next = isSame ? `${shellLine("mkt", "login", name)} --key-file <file>` : withoutTerminal;
    throw usageError("A log-in needs the API key: --key-file <file>, or --key-stdin.", next);
  }
  const workspace = context.flags.workspace ?? (isSame ? stored.workspace : undefined);
  return { apiUrl, key, ...(workspace !== undefined && { workspace }) };
}

/**
 * To log in again, the name is enough. A name that is not stored may be mistyped, where nobody can be asked what is
 * meant.
 */
async function readAddress(context: CliContext, named: Named | undefined): Promise<string> {
  const given = givenAddress(context) ?? named?.stored?.apiUrl;
  if (given === undefined && named !== undefined && (named.by !== "as named" || !canAsk(context))) {
    getProfile(await readProfiles(context.places.configDir), named.name, named.by);
  }
  const address = given ?? (canAsk(context) ? (await askLine(context.io, "Address of the deployment: ")).trim() : "");
  if (address === "") throw usageError("A log-in needs an address: --api-url <url>.", withoutTerminal);
  checkApiUrl(address, given ? "The address" : "What you typed");
  return plainAddress(address);
}

/** Nothing is stored that the service does not accept. */
async function greet(
  context: CliContext,
  name: string,
  { apiUrl, key, workspace }: Profile & { key: string },
): Promise<void> {
  context.useSettings({
    places: context.places,
    profile: { name, from: "default" },
    baseUrl: { value: apiUrl, from: "mkt login" },
    key: { value: key, from: "mkt login" },
    ...(workspace !== undefined && { workspace: { value: workspace, from: "mkt login" } }),
  });
  const client = await context.client();
  const { user } = await client.whoami();
  await context.output.note(`${apiUrl} accepts the key: you are ${user.username || user.userId}.`);
}

/** `market.example.org`, or with its port `127.0.0.1-7717`. */
function nameOf(apiUrl: string): string {
  return new URL(apiUrl).host.replace(/[^A-Za-z0-9.-]+/g, "-").replace(/^[.-]+/, "");
}
