import { isLoopback } from "../../shared/loopback.ts";
import { checkApiUrl, plainAddress } from "../connection/api-url.ts";
import { CliError, usageError } from "../core/cli-error.ts";
import type { Settings } from "../connection/read-settings.ts";
import { Command } from "../command/command.ts";
import { confirm } from "../input/confirm.ts";
import type { CliContext } from "../command/context.ts";
import { confirmReplacing } from "./confirm-replacing.ts";
import { type KeyFlags, keyStdinFlag, readGivenKey } from "./given-key.ts";
import {
  checkProfileName,
  findProfile,
  getProfile,
  localProfile,
  withCurrent,
  withoutProfile,
  withProfile,
} from "../connection/profile.ts";
import { allProfileFacts, profileFacts } from "./profile-facts.ts";
import { readProfiles } from "../connection/profile-file.ts";
import { changeProfiles } from "../connection/write-profiles.ts";
import { shellLine } from "../../shared/words/shell-line.ts";

export function profileCommand(context: CliContext): Command {
  return new Command("profile")
    .description("Deployments by name: the address and the key of each")
    .examples("mkt profile")
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(showCommand(context))
    .addCommand(addCommand(context))
    .addCommand(useCommand(context))
    .addCommand(removeCommand(context));
}

function listCommand(context: CliContext): Command {
  return new Command("list")
    .description("List the profiles, without their keys (what `mkt profile` alone does)")
    .examples("mkt profile list")
    .action(async () => {
      const stored = await readProfiles(context.places.configDir);
      const items = allProfileFacts(stored, await settingsOrNote(context));
      await context.output.list({ items }, items, async () => (await import("./ProfileScreens.tsx")).ProfileList);
    });
}

function showCommand(context: CliContext): Command {
  return new Command("show")
    .description("Show one profile, without its key; without a name, the one in use")
    .argument("[profile]")
    .examples("mkt profile show prod")
    .action(async (name?: string) => {
      if (name === undefined) return showProfile(context, (await context.settings()).profile.name);
      if (name !== localProfile) getProfile(await readProfiles(context.places.configDir), name, "as named");
      await showProfile(context, name);
    });
}

function addCommand(context: CliContext): Command {
  return new Command("add")
    .description("Store a deployment under a name: --api-url, the key, and optionally --workspace")
    .argument("<name>")
    .option(...keyStdinFlag)
    .option("--use", "use it at once")
    .examples(
      "mkt profile add prod --api-url https://market.example.org --key-file key.txt",
      "mkt profile add lab --api-url http://127.0.0.1:7717 --key-stdin < key.txt",
    )
    .addHelpText(
      "after",
      "\nThe key comes from --key-file, from --key-stdin, or is asked for on a terminal. It is sent to this address only.",
    )
    .action(async (name: string, flags: KeyFlags & { use?: true }) => {
      checkProfileName(name);
      const { apiUrl, workspace } = context.flags;
      if (apiUrl === undefined) throw usageError("A profile needs an address: --api-url <url>.");
      checkApiUrl(apiUrl, "--api-url");
      const before = findProfile(await readProfiles(context.places.configDir), name);
      if (before !== undefined) await confirmReplacing(context, name, { before, apiUrl });
      const key = await readGivenKey(context, flags, "API key (not shown; nothing to store none): ");
      const { configDir } = context.places;
      await changeProfiles(configDir, (stored) => {
        const added = withProfile(stored, name, {
          apiUrl: plainAddress(apiUrl),
          ...(key !== undefined && { key }),
          ...(workspace !== undefined && { workspace }),
        });
        return flags.use ? withCurrent(added, name) : added;
      });
      await warnOfPlainText(context, apiUrl, key);
      context.forgetSettings();
      await showProfile(context, name);
    });
}

function useCommand(context: CliContext): Command {
  return new Command("use")
    .description(`Use a profile; ${localProfile} is the local daemon`)
    .argument("<profile>")
    .examples("mkt profile use prod", "mkt profile use local")
    .action(async (name: string) => {
      const { configDir } = context.places;
      if (name !== localProfile) getProfile(await readProfiles(configDir), name, "as named");
      await changeProfiles(configDir, (stored) => withCurrent(stored, name));
      context.forgetSettings();
      await showProfile(context, name);
    });
}

function removeCommand(context: CliContext): Command {
  return new Command("remove")
    .description("Remove a profile and its key from this machine")
    .argument("<profile>")
    .examples("mkt profile remove prod --yes")
    .action(async (name: string) => {
      const { configDir } = context.places;
      if (name === localProfile) throw usageError(`"${localProfile}" is the local daemon and cannot be removed`);
      const { key } = getProfile(await readProfiles(configDir), name, "as named");
      await confirm(
        context,
        `Remove the profile ${name}?${key === undefined ? "" : " Its key is gone from here then."}`,
      );
      await changeProfiles(configDir, (stored) => withoutProfile(stored, name));
      await context.output.note(`The profile ${name} is removed.`);
    });
}

/**
 * Where they name a profile that is not there, or hold anything else that is wrong, profiles are looked at to mend it.
 */
async function settingsOrNote(context: CliContext): Promise<Settings | undefined> {
  try {
    return await context.settings();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    await context.output.note(error.message);
    return undefined;
  }
}

/** Over plain http, every machine on the network path can read the key. */
export async function warnOfPlainText(context: CliContext, apiUrl: string, key: string | undefined): Promise<void> {
  const { protocol, hostname } = new URL(apiUrl);
  if (key === undefined || protocol === "https:" || isLoopback(hostname)) return;
  await context.output.note(`${apiUrl} is http: the key is sent unencrypted. Use https if it is available.`);
}

export async function showProfile(context: CliContext, name: string): Promise<void> {
  const settings = await settingsOrNote(context);
  const stored = await readProfiles(context.places.configDir);
  const facts = profileFacts(stored, name, settings);
  await context.output.show(facts, async () => (await import("./ProfileScreens.tsx")).ProfileDetail);
  if (!facts.hasKey && name !== localProfile && !context.output.drawsScreens) {
    await context.output.note(`No key is stored with it. To add one: ${shellLine("mkt", "login", name)}`);
  }
  if (facts.inUse || settings === undefined) return;
  const { profile } = settings;
  const isChosen = (stored.current ?? localProfile) === name;
  if (isChosen) await context.output.note(`${profile.from} names ${profile.name}, and has precedence while it is set.`);
  else if (!context.output.drawsScreens) {
    await context.output.note(`To use it: ${shellLine("mkt", "profile", "use", name)}`);
  }
}
