import { add, type MicroDollars, NO_MONEY, sum } from "../../../shared/micro-dollars.ts";
import { estimateCost } from "../../billing/estimate.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import type { Clock } from "../../base/clock.ts";
import { findLogin } from "../../manifest/login-auth.ts";
import type { Example } from "../../manifest/manifest.ts";
import { readEstimateFacts } from "../../providers/answer/read-estimate-facts.ts";
import type { AdmittedRun } from "../../runs/admission/admission.ts";
import { admitExample, type Mismatch, refusalOf, type RehearsedRun } from "../examples/rehearse-example.ts";

/** One example that will be tried at its real provider. */
export interface LiveTrial {
  readonly entry: CatalogEntry;
  readonly example: Example;
  /** Index among the endpoint's examples. */
  readonly index: number;
  readonly admitted: AdmittedRun;
  /** The most that the provider charges, by the price of the file before markup. */
  readonly atProviderMicroDollars: MicroDollars;
}

/** The result of one trial; `run` has the answer that may be recorded. */
export interface TriedExample extends RehearsedRun {
  readonly trial: LiveTrial;
  readonly findings: readonly Mismatch[];
}

export interface LeftOut {
  readonly provider: string;
  readonly endpoint: string;
  readonly example?: string;
  readonly why: string;
  /** The command that fixes it, if there is one. */
  readonly next?: string;
}

/** What a live test would do; shown before anything is called. */
export interface LivePlan {
  readonly trials: readonly LiveTrial[];
  readonly leftOut: readonly LeftOut[];
  /**
   * The most that all trials cost together, by the prices of the files: what callers would pay, and what providers
   * charge.
   */
  readonly maximumMicroDollars: MicroDollars;
  readonly atProvidersMicroDollars: MicroDollars;
}

/**
 * Grants and secrets apply as in the daemon. Endpoints that create, change or end resources are tried only when
 * `named`.
 */
export async function planLive(
  catalog: Catalog,
  entries: readonly CatalogEntry[],
  { clock, named }: { readonly clock: Clock; readonly named: boolean },
): Promise<LivePlan> {
  const trials: LiveTrial[] = [];
  const leftOut: LeftOut[] = [];
  for (const entry of entries) {
    const about = { provider: entry.provider.provider, endpoint: entry.path };
    const obstacle = obstacleOf(catalog, entry, named);
    if (obstacle !== undefined) {
      leftOut.push({ ...about, ...obstacle });
      continue;
    }
    for (const [index, example] of entry.examples.entries()) {
      try {
        const admitted = await admitExample(entry, example, clock);
        trials.push({ entry, example, index, admitted, atProviderMicroDollars: costAtProvider(admitted) });
      } catch (error) {
        leftOut.push({ ...about, example: example.name, why: refusalOf(error).came ?? "its input is refused" });
      }
    }
  }
  return {
    trials,
    leftOut,
    maximumMicroDollars: sum(trials.map(({ admitted }) => admitted.maximumMicroDollars)),
    atProvidersMicroDollars: sum(trials.map(({ atProviderMicroDollars }) => atProviderMicroDollars)),
  };
}

function obstacleOf(
  catalog: Catalog,
  { provider, path, examples, effects, resources, http }: CatalogEntry,
  named: boolean,
): Pick<LeftOut, "why" | "next"> | undefined {
  const availability = catalog.availability(provider.provider, path);
  if (!availability.available) {
    const { message, next } = availability;
    return { why: message, ...(next !== undefined && { next }) };
  }
  if (findLogin(http.auth) !== undefined) {
    return {
      why: "it is called with the account of a workspace, which only a daemon has; run it there",
      next: `mkt connect ${provider.provider}`,
    };
  }
  if (examples.length === 0) return { why: "it has no example" };
  if (resources !== undefined && effects === undefined) return { why: "it needs a resource that a run has made" };
  if (effects !== undefined && !named) {
    return { why: "it creates or ends things that persist at the provider; name it with --endpoint to try it anyway" };
  }
  return undefined;
}

function costAtProvider({ entry, input, deadlineMs }: AdmittedRun): MicroDollars {
  const { maximum } = estimateCost(entry.priceWithoutMarkup, readEstimateFacts(entry, input, deadlineMs));
  return add(maximum, entry.resources?.provisions?.rent?.costMicroDollars ?? NO_MONEY);
}
