import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import type { Scored } from "./fusion.ts";
import { ServiceFailed } from "./calls/service-failed.ts";

/** The services that discovery uses beside its own ranking. */
export interface SearchServices extends AsyncDisposable {
  /** Takes the current catalog; any preparation is done in the background. */
  follow(entries: readonly CatalogEntry[]): void;
  /** Improves the ranking by words. Never rejects, and resolves within the time that was set. */
  refine(question: RefineQuestion): Promise<Refined>;
  /** Writes rephrasings of a query; absent if no model is set. Never rejects, and resolves within the time that was set. */
  readonly rephrase?: (q: string) => Promise<Written>;
  /** Resolves when nothing is left to prepare, or the service rests. For tests. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export interface RefineQuestion {
  readonly q: string;
  /** Best first. */
  readonly byWords: readonly Scored<CatalogEntry>[];
  /** The maximum number of results that words did not find. */
  readonly limit: number;
  /** Results with a lower score will not be shown. */
  readonly floor: number;
  /** The filters of the query. */
  readonly accept: (entry: CatalogEntry) => boolean;
}

export interface Refined {
  /** Best first; scores on the same scale as before. */
  readonly ranked: readonly RefinedEntry[];
  /** Each service that is set, in the order in which they are called. */
  readonly services: readonly ServiceUse[];
}

export interface RefinedEntry extends Scored<CatalogEntry> {
  /** The score of each service: embeddings from 0 to 2, rerank on its own scale. */
  readonly byServices: readonly ServiceScore[];
}

export type ServiceName = "embeddings" | "rerank" | "rephrase";

export interface ServiceScore {
  readonly name: ServiceName;
  readonly score: number;
}

/** What a model has written for a query, and whether it did. */
export interface Written {
  /** Empty if it wrote nothing in time: the query is asked alone. */
  readonly also: readonly string[];
  readonly use: ServiceUse;
}

/** Whether a service contributed to an answer, and if not, why. */
export interface ServiceUse {
  readonly name: ServiceName;
  readonly used: boolean;
  readonly reason?: string;
}

/** One service, as a step of `refine`. */
export interface RefineStep {
  readonly name: ServiceName;
  /** Rejects with `ServiceFailed` when it has no result. */
  refine(ranked: readonly RefinedEntry[], question: RefineQuestion, limits: StepLimits): Promise<RefinedEntry[]>;
}

export interface StepLimits {
  readonly timeoutMs: number;
}

export interface SearchServicesParts {
  /** In the order in which they are called. */
  readonly steps: readonly RefineStep[];
  /** For all of them together. */
  readonly waitMs: number;
  /** A monotonic clock, in milliseconds. */
  readonly nowMs: () => number;
}

/** The number of concurrent queries that use services; further ones go without. Each holds a pool of candidates. */
const MAX_AT_ONCE = 32;

/** Calls the services one after the other; if one fails, the next gets its input unchanged. */
export function createRefine({ steps, waitMs, nowMs }: SearchServicesParts): SearchServices["refine"] {
  let atOnce = 0;

  async function refineStepByStep(question: RefineQuestion): Promise<Refined> {
    const endMs = nowMs() + waitMs;
    let ranked: readonly RefinedEntry[] = question.byWords.map((found) => ({ ...found, byServices: [] }));
    const services: ServiceUse[] = [];
    for (const [place, step] of steps.entries()) {
      // The remaining time is divided among the remaining services; a quick one leaves more to the others.
      const timeoutMs = (endMs - nowMs()) / (steps.length - place);
      try {
        ranked = await step.refine(ranked, question, { timeoutMs: Math.max(1, Math.floor(timeoutMs)) });
        services.push({ name: step.name, used: true });
      } catch (error) {
        if (!(error instanceof ServiceFailed)) throw error;
        services.push({ name: step.name, used: false, reason: error.message });
      }
    }
    return { ranked, services };
  }

  return async (question) => {
    if (atOnce >= MAX_AT_ONCE) {
      const reason = "too many questions at once";
      const services = steps.map(({ name }) => ({ name, used: false, reason }));
      return { ranked: question.byWords.map((found) => ({ ...found, byServices: [] })), services };
    }
    atOnce += 1;
    try {
      return await refineStepByStep(question);
    } finally {
      atOnce -= 1;
    }
  };
}
