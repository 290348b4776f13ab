import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import type { Scored } from "./fusion.ts";
import { ServiceFailed } from "./calls/service-failed.ts";

/** What discovery asks beside its own ranking. */
export interface SearchServices extends AsyncDisposable {
  /** Takes the catalog as it is now; what has to be prepared for it is prepared in the background. */
  follow(entries: readonly CatalogEntry[]): void;
  /** The ranking by words, made better. Never rejects, and resolves within the time that was set. */
  refine(question: RefineQuestion): Promise<Refined>;
  /** Resolves when nothing is left to be prepared, or the service for it is left alone. For tests. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export interface RefineQuestion {
  readonly q: string;
  /** Best first. */
  readonly byWords: readonly Scored<CatalogEntry>[];
  /** At most so many, the best, of what words did not find. */
  readonly limit: number;
  /** What has a lower score will not be shown. */
  readonly floor: number;
  /** What the question insists on. */
  readonly accept: (entry: CatalogEntry) => boolean;
}

export interface Refined {
  /** Best first; scores on the scale that they had. */
  readonly ranked: readonly RefinedEntry[];
  /** Each service that is set, in the order in which it was asked. */
  readonly services: readonly ServiceUse[];
}

export interface RefinedEntry extends Scored<CatalogEntry> {
  /** What each service gave: embeddings a score from 0 to 2, rerank its own. */
  readonly byServices: readonly ServiceScore[];
}

export type ServiceName = "embeddings" | "rerank";

export interface ServiceScore {
  readonly name: ServiceName;
  readonly score: number;
}

/** Whether an answer owes something to a service, and why not. */
export interface ServiceUse {
  readonly name: ServiceName;
  readonly used: boolean;
  readonly reason?: string;
}

/** One service as `refine` goes through it. */
export interface RefineStep {
  readonly name: ServiceName;
  /** Rejects with `ServiceFailed` when it has nothing to give. */
  refine(ranked: readonly RefinedEntry[], question: RefineQuestion, limits: StepLimits): Promise<RefinedEntry[]>;
}

export interface StepLimits {
  readonly timeoutMs: number;
}

export interface SearchServicesParts {
  /** In the order in which they are asked. */
  readonly steps: readonly RefineStep[];
  /** For all of them together. */
  readonly waitMs: number;
  /** A clock that is never set back, in milliseconds. */
  readonly nowMs: () => number;
}

/** More questions at once than this go on without services: each holds a pool of candidates. */
const MAX_AT_ONCE = 32;

/** Asks one service after the other; what one has no answer for, the next gets as it was. */
export function createRefine({ steps, waitMs, nowMs }: SearchServicesParts): SearchServices["refine"] {
  let atOnce = 0;

  async function refineStepByStep(question: RefineQuestion): Promise<Refined> {
    const endMs = nowMs() + waitMs;
    let ranked: readonly RefinedEntry[] = question.byWords.map((found) => ({ ...found, byServices: [] }));
    const services: ServiceUse[] = [];
    for (const [place, step] of steps.entries()) {
      // Of what is left, each gets its part; who is quick leaves more to the others.
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
