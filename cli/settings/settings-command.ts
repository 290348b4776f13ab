import { refusedInput } from "../core/cli-error.ts";
import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { didYouMean } from "../core/near-misses.ts";
import { collectPairs } from "../flags/option-values.ts";

export function settingsCommand(context: CliContext): Command {
  return new Command("settings")
    .description("Settings of the service that can be changed while it runs (operator)")
    .examples("mkt settings")
    .addCommand(showSettingsCommand(context), { isDefault: true })
    .addCommand(setSettingsCommand(context));
}

function showSettingsCommand(context: CliContext): Command {
  return new Command("show")
    .description("Show the settings (what `mkt settings` alone does)")
    .examples("mkt settings --jq .health.degradedShare")
    .action(async () => {
      const client = await context.client();
      await context.output.show(await client.getAdminSettings(), settingsView);
    });
}

function setSettingsCommand(context: CliContext): Command {
  return new Command("set")
    .description("Change settings; the others stay as they are")
    .argument("<name=value...>", "as `mkt settings` names them", collectPairs)
    .examples("mkt settings set discoverFloor=0.2 health.freshMinutes=30")
    .action(async (changes: Record<string, string>) => {
      context.suggest(400, "mkt settings");
      const client = await context.client();
      refuseUnknown(Object.keys(changes), settingNames(await client.getAdminSettings()));
      // What they may be is for the service to say.
      const settings = await client.updateAdminSettings({ body: nested(changes) });
      await context.output.show(settings, settingsView);
    });
}

const settingsView = async () => (await import("./Settings.tsx")).Settings;

/** As they are changed: `discoverFloor`, `health.freshMinutes`. */
function settingNames(settings: object): string[] {
  return Object.entries(settings).flatMap(([name, value]: [string, unknown]) =>
    typeof value === "object" && value !== null ? Object.keys(value).map((member) => `${name}.${member}`) : [name],
  );
}

function refuseUnknown(asked: readonly string[], known: readonly string[]): void {
  for (const name of asked) {
    if (known.includes(name)) continue;
    throw refusedInput(`There is no setting "${name}".${didYouMean(name, known)}`, "mkt settings");
  }
}

/** `{"health.freshMinutes": "30"}` as `{health: {freshMinutes: 30}}`. */
function nested(changes: Readonly<Record<string, string>>): Record<string, Record<string, unknown>> {
  const body: Record<string, unknown> = {};
  for (const [path, text] of Object.entries(changes)) {
    const [name = "", member] = path.split(".");
    if (member === undefined) body[name] = readValue(text);
    else body[name] = { ...(body[name] as object | undefined), [member]: readValue(text) };
  }
  return body as Record<string, Record<string, unknown>>;
}

function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
