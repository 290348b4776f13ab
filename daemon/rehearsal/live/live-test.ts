import { createBuiltinProviders } from "../../providers/builtin-providers.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import { type Clock, isoNow } from "../../base/clock.ts";
import type { Example } from "../../manifest/manifest.ts";
import { createIdSource } from "../../base/new-id.ts";
import { createHttpProvider } from "../../providers/http-provider.ts";
import { createRedactor } from "../../redaction/redact.ts";
import type { LeftOut, LivePlan, LiveTrial, TriedExample } from "./live-plan.ts";
import { keepOutcomes, type KeptOutcome } from "./keep-outcomes.ts";
import { compareRun, type Mismatch, type RehearsedRun, runExample } from "../examples/rehearse-example.ts";

export interface LiveReport {
  readonly trials: readonly TrialReport[];
  readonly leftOut: readonly LeftOut[];
  /** What was written to files. */
  readonly kept: readonly KeptOutcome[];
  /** 0: something was tried, and all of it succeeded. */
  readonly exitCode: 0 | 1;
}

export interface TrialReport {
  readonly file: string;
  readonly provider: string;
  readonly endpoint: string;
  readonly example: string;
  readonly outcome: "passed" | "failed";
  readonly findings: readonly Mismatch[];
  readonly durationMs: number;
  readonly resultCount?: number;
}

export interface LiveTestParts {
  readonly catalog: Catalog;
  readonly clock: Clock;
  /** `host` or `host:port`, from the operator's own setting. */
  readonly allowPrivateHosts: readonly string[];
  /** Save the answers as the examples' recorded answers. */
  readonly record: boolean;
  /** Folders whose files came with the program; they are not changed. */
  readonly untouched: readonly string[];
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Tries examples at their real providers, one after the other, as the daemon's runs would be: address guard,
 * credentials, rate limits, retries. No wallet is charged. If all of an endpoint's examples succeed, `verified: false`
 * is removed from the file.
 */
export async function testLive(plan: LivePlan, parts: LiveTestParts): Promise<LiveReport> {
  const { catalog, clock } = parts;
  const builtins = createBuiltinProviders();
  const provider = createHttpProvider({
    secretsOf: (version) => catalog.resolveSecrets(version),
    builtinOrigin: (name) => builtins.origin(name),
    allowPrivateHosts: new Set(parts.allowPrivateHosts),
    privateHostsGranted: (version) => catalog.grantedPrivateHosts(version),
    redactor: createRedactor(() => catalog.allSecretValues()),
    clock,
  });
  const newId = createIdSource();
  const tried: TriedExample[] = [];
  const reports: TrialReport[] = [];
  try {
    for (const trial of plan.trials) {
      const { entry, example, admitted } = trial;
      const begunMs = performance.now();
      const outcome = await runExample(admitted, {
        provider,
        clock,
        runId: newId(),
        pollAfterMs: (pollAfterMs) => pollAfterMs,
        signal: AbortSignal.timeout(admitted.deadlineMs),
      });
      const findings = compareRun(outcome, entry, statusOnly(example));
      tried.push({ ...outcome, trial, findings });
      reports.push(report(trial, { outcome, findings, durationMs: Math.round(performance.now() - begunMs) }));
      parts.onProgress?.(reports.length, plan.trials.length);
    }
  } finally {
    await provider.close();
    await builtins.close();
  }
  const kept = await keepOutcomes(tried, { ...parts, date: isoNow(clock).slice(0, 10) });
  const isGood = reports.length > 0 && reports.every(({ outcome }) => outcome === "passed");
  return { trials: reports, leftOut: plan.leftOut, kept, exitCode: isGood ? 0 : 1 };
}

/**
 * The number and cost of results change from day to day at the provider; the status does not, nor that there is a
 * count.
 */
function statusOnly(example: Example): Example {
  const { httpStatus } = example.expect ?? {};
  const { expect: _expect, ...others } = example;
  return { ...others, ...(httpStatus !== undefined && { expect: { httpStatus } }) };
}

function report(
  { entry, example }: LiveTrial,
  {
    outcome: { answer },
    findings,
    durationMs,
  }: { readonly outcome: RehearsedRun; readonly findings: readonly Mismatch[]; readonly durationMs: number },
): TrialReport {
  const count = answer?.measured.count;
  return {
    ...nameOf(entry),
    example: example.name,
    outcome: findings.length === 0 ? "passed" : "failed",
    findings,
    durationMs,
    ...(count !== undefined && !Number.isNaN(count) && { resultCount: count }),
  };
}

function nameOf({ provider, path }: CatalogEntry): Pick<TrialReport, "file" | "provider" | "endpoint"> {
  return { file: provider.file, provider: provider.provider, endpoint: path };
}
