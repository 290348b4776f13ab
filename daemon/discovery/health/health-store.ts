import type { EndpointEvidence } from "./endpoint-evidence.ts";

/** The health data that is kept beside the journal. */
export interface KeptEvidence {
  /** When it was written, milliseconds since the epoch. */
  readonly at: number;
  /** The daemon was stopped cleanly, so every run that had ended by then is included. */
  readonly closed: boolean;
  /** By provider and path, in the order of the last run. */
  readonly evidence: ReadonlyMap<string, EndpointEvidence>;
}

/** Keeps it from one start to the next. Losing it does little harm. */
export interface HealthStore {
  /** Undefined when nothing was kept yet. Rejects when the file is damaged or unreadable. */
  read(): Promise<KeptEvidence | undefined>;
  /** Resolves when it is on the disk and has replaced the previous one. */
  write(kept: KeptEvidence): Promise<void>;
}
