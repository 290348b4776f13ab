import type { Command } from "commander";
import { expect, test } from "vitest";
import { processIo } from "../../cli/core/cli-io.ts";
import { Invocation } from "../../cli/invocation.ts";
import { createProgram } from "../../cli/program.ts";

const context = new Invocation(processIo("0.1.0"), []);

function namesOf(command: Command): string[] {
  return [command.name(), ...command.aliases()];
}

test("loads one command alone for each of its names, the same as the whole program has", async () => {
  const whole = await createProgram(context);

  for (const command of whole.commands.filter((one) => one.name() !== "help")) {
    for (const name of namesOf(command)) {
      const { commands } = await createProgram(context, undefined, name);
      expect(commands.map(namesOf), name).toEqual([namesOf(command)]);
      expect(commands[0]?.helpInformation(), name).toBe(command.helpInformation());
    }
  }
  expect(whole.commands.length).toBeGreaterThan(20);
});

test.each(["--json", "-h", "help", "discver", undefined])("loads every command for %s", async (first) => {
  const { commands } = await createProgram(context, undefined, first);

  expect(commands.map(namesOf)).toEqual((await createProgram(context)).commands.map(namesOf));
});
