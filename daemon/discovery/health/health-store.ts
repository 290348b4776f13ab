import type { EndpointEvidence } from "./endpoint-evidence.ts";

/** What is kept of health beside the journal. */
export interface KeptEvidence {
  /** When it was written, milliseconds since the epoch. */
  readonly at: number;
  /** Every run that had ended by then is in it: the daemon was stopped. */
  readonly closed: boolean;
  /** By provider and path, those that were run last at the end. */
  readonly evidence: ReadonlyMap<string, EndpointEvidence>;
}

/** Keeps it from one start to the next. Losing it loses little: whoever reads it can do without. */
export interface HealthStore {
  /** Undefined when nothing was kept yet. Rejects with what is wrong with it. */
  read(): Promise<KeptEvidence | undefined>;
  /** Resolves when it is on the disk, in the place of what was there. */
  write(kept: KeptEvidence): Promise<void>;
}
