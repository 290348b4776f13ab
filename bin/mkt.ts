#!/usr/bin/env node
import packageFacts from "../package.json" with { type: "json" };
import { runCli } from "../cli/main.ts";
import { mountDaemonCommands } from "./daemon-commands.ts";

// The daemon is measured from here on: loading it is part of its start.
const startedAtMs = Date.now();

process.exitCode = await runCli(process.argv.slice(2), {
  version: packageFacts.version,
  mount: (program, context) => mountDaemonCommands(program, context, { version: packageFacts.version, startedAtMs }),
});
