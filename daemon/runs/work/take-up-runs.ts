import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import type { EntryVersions } from "../../catalog/editions/entry-versions.ts";
import type { Logger } from "../../base/logger.ts";
import type { OpenRunCount } from "../queue/open-run-limits.ts";
import type { LiveRun } from "./live-run.ts";
import type { RunDriver } from "./run-driver.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";

export interface TakeUpRunsParts {
  readonly catalog: Pick<Catalog, "find">;
  readonly versions: Pick<EntryVersions, "find">;
  readonly logger: Logger;
  readonly openRuns: OpenRunCount;
  readonly driver: RunDriver;
  /** Called for each run instead of `resume`, which it calls at once. */
  readonly handOver?: (run: RunRecord, resume: () => LiveRun) => void;
}

/** Resumes runs that were open when this or another daemon ended, each with the version under which it began. */
export async function takeUpRuns(parts: TakeUpRunsParts, open: readonly RunRecord[]): Promise<void> {
  const { openRuns, driver, logger, handOver = (_run, resume) => void resume() } = parts;
  for (const run of calledFirst(open)) {
    openRuns.resume(run);
    const members = await Promise.all((run.route?.next ?? []).map((member) => findVersion(parts, run, member)));
    const entry = await findVersion(parts, run, run);
    const next = members.filter((member) => member !== undefined);
    handOver(run, () => driver.resume(run, entry, next));
  }
  if (open.length > 0) logger.info({ runs: open.length }, "going on with runs that were open");
}

/** Removes versions of provider files that no open run needs any more. */
export async function forgetVersions(
  { versions, logger }: { readonly versions: Pick<EntryVersions, "retain">; readonly logger: Logger },
  open: readonly RunRecord[],
): Promise<void> {
  const needed = open.flatMap(({ manifestHash, route }) => [
    manifestHash,
    ...(route?.next ?? []).map((member) => member.manifestHash),
  ]);
  await versions.retain(new Set(needed)).catch((error: unknown) => {
    logger.warn({ err: error }, "versions of provider files that nothing needs were not removed");
  });
}

/**
 * If the version under which a run began is missing, it goes on with the current one, which is better than not at all.
 */
async function findVersion(
  { catalog, versions, logger }: TakeUpRunsParts,
  { runId }: RunRecord,
  { provider, endpoint, manifestHash }: Pick<RunRecord, "provider" | "endpoint" | "manifestHash">,
): Promise<CatalogEntry | undefined> {
  try {
    return await versions.find(provider, endpoint, manifestHash);
  } catch (error) {
    const facts = { err: error, runId, provider };
    logger.warn(facts, "the version of a provider's file that a run began under is damaged");
    return catalog.find(provider, endpoint);
  }
}

/** Those at their providers come first: equal ones that wait in line wait for them. Else in their order. */
function calledFirst(runs: readonly RunRecord[]): readonly RunRecord[] {
  return [...runs.filter(({ status }) => status !== "READY"), ...runs.filter(({ status }) => status === "READY")];
}
