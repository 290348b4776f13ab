import type { Command } from "commander";
import { usageError } from "../core/cli-error.ts";
import type { RunStatus } from "../../shared/contract/runs.ts";
import { toUpper } from "../flags/option-values.ts";
import { parsePastTime, pastTimeHelp } from "../flags/time-flags.ts";

/** Which runs, as commander reads it. */
export interface RunFilterFlags {
  status?: string;
  provider?: string;
  endpoint?: string;
  since?: string;
  until?: string;
  tag?: string;
  keyLabel?: string;
  schedule?: string;
}

export function withRunFilters<Filtered extends Command>(command: Filtered): Filtered {
  return command
    .option("--status <list>", "only with these statuses, such as FAILED,TIMED_OUT", toUpper)
    .option("--provider <slug>", "only of this provider")
    .option("--endpoint <path>", "only of this endpoint")
    .option("--since <time>", `only created at or after, ${pastTimeHelp}`, parsePastTime)
    .option("--until <time>", "only created before, in the same words", parsePastTime)
    .option("--tag <name=value>", "only with this tag", parseTag)
    .option("--schedule <id>", "only runs of this schedule")
    .option("--key-label <label>", "only runs made with this key");
}

/** As `mkt run --tag` takes it, or as the service does. */
function parseTag(value: string): string {
  return value.replace(/^([^=:]+)=/, "$1:");
}

function scheduleTag(scheduleId: string, tag: string | undefined): string {
  if (tag !== undefined) throw usageError("Give --schedule or --tag: only one tag can be asked for.");
  return `schedule:${scheduleId}`;
}

/** The filters as the service takes them. The runs of a schedule have its id as a tag. */
export function toRunFilters({ status, since, until, schedule, ...filters }: RunFilterFlags) {
  return {
    ...filters,
    ...(schedule !== undefined && { tag: scheduleTag(schedule, filters.tag) }),
    // Whether a status exists is for the service to say: its list may be longer than ours.
    ...(status !== undefined && { status: status.split(",") as RunStatus[] }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
}
