import { Option } from "commander";
import { usageError } from "../../cli/core/cli-error.ts";
import { confirm } from "../../cli/input/confirm.ts";
import { Command } from "../../cli/command/command.ts";
import type { CliContext } from "../../cli/command/context.ts";
import { collect } from "../../cli/flags/option-values.ts";
import { ApiError } from "../../shared/errors.ts";
import type { ForeignPaths } from "../../daemon/catalog/reading/named-paths.ts";
import { asFolderFailure, end, ownCatalogDir } from "../offline-command.ts";
import { bundledFolders } from "./bundled-folders.ts";
import { readerScript } from "./reader-script.ts";

interface TestFlags {
  readonly endpoint?: string;
  readonly bundled?: boolean;
  readonly live?: boolean;
  readonly record?: boolean;
  readonly allowPrivateHost?: string[];
}

export function testCommand(context: CliContext, bundledCatalogDir: string): Command {
  return new Command("test")
    .summary("Play the examples of provider files")
    .description("Play the examples of provider files against a stand-in, or with --live at the real provider")
    .argument("[paths...]", "files or folders (default: the catalog folder of the configuration)")
    .option("--endpoint <path>", "only this endpoint")
    .option("--bundled", "also the bundled providers")
    .option("--live", "call the real providers, after showing the cost and asking")
    .option("--record", "with --live: save the responses in the examples")
    .addOption(
      new Option("--allow-private-host <host[:port]>", "private address to allow (repeatable)").argParser(collect),
    )
    .examples(
      "mkt catalog test skywatch.yaml",
      "mkt catalog test ./my-providers --endpoint '/forecast/{city}'",
      "mkt catalog test skywatch.yaml --live --record",
    )
    .addHelpText(
      "after",
      "\nWithout --live nobody is called. With --live, `verified: false` is removed where all examples of an endpoint pass;" +
        "\nsecrets and grants are those of the daemon. Exit code 1: an example failed, or with --live there was none to try.",
    )
    .action(async (paths: string[], flags: TestFlags) => {
      if (flags.live !== true && (flags.record === true || flags.allowPrivateHost !== undefined))
        throw usageError("--record and --allow-private-host are for --live.");
      const named: ForeignPaths = {
        paths,
        defaults: [
          { dir: ownCatalogDir(context), replacesBundled: true, optional: true },
          ...(flags.bundled === true ? [{ dir: bundledCatalogDir, bundled: true, trusted: true }] : []),
        ],
        ...bundledFolders(bundledCatalogDir),
        readerScript,
      };
      await (flags.live === true ? tryLive : rehearse)(context, named, flags);
    });
}

async function rehearse(context: CliContext, named: ForeignPaths, { endpoint }: TestFlags): Promise<void> {
  const [{ rehearseCatalog }, { renderRehearsal }] = await Promise.all([
    import("../../daemon/rehearsal/rehearse-catalog.ts"),
    import("../../daemon/rehearsal/rehearsal-report.ts"),
  ]);
  const progress = context.output.progress("Playing examples");
  const report = await rehearseCatalog({
    ...named,
    ...(endpoint !== undefined && { endpoint }),
    onProgress: (done, total) => progress.update(`Playing examples: ${done} of ${total} providers`),
  }).finally(() => progress.stop());
  await print(context, report, renderRehearsal(report));
  end(context, report.exitCode);
}

async function tryLive(context: CliContext, named: ForeignPaths, flags: TestFlags): Promise<void> {
  const [{ openLiveTest }, { testLive }, { renderLive, renderLivePlan }] = await Promise.all([
    import("../../daemon/offline/open-live-test.ts"),
    import("../../daemon/rehearsal/live/live-test.ts"),
    import("../../daemon/rehearsal/live/render-live.ts"),
  ]);
  const { plan, ...parts } = await openLiveTest(named, {
    environment: context.io.env,
    dataDir: context.places.dataDir,
    allowPrivateHosts: flags.allowPrivateHost,
    endpoint: flags.endpoint,
  }).catch(async (error: unknown) => {
    throw error instanceof ApiError ? error : await asFolderFailure(error);
  });
  if (plan.trials.length > 0) {
    await context.output.note(renderLivePlan(plan));
    await confirm(context, "Call them?", { needsYes: true });
  }
  const progress = context.output.progress("Calling providers");
  const report = await testLive(plan, {
    ...parts,
    record: flags.record === true,
    untouched: named.paths.length > 0 || named.bundledDir === undefined ? [] : [named.bundledDir],
    onProgress: (done, total) => progress.update(`Calling providers: ${done} of ${total} examples`),
  }).finally(() => progress.stop());
  await print(context, report, renderLive(report));
  end(context, report.exitCode);
}

async function print(context: CliContext, report: unknown, text: string): Promise<void> {
  await context.output.report(report, text);
}
