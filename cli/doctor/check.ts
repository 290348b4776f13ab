import type { Client } from "../../shared/client/client.ts";
import type { Places } from "../../shared/places.ts";
import type { CliIo } from "../core/cli-io.ts";
import type { Settings } from "../connection/read-settings.ts";
import type { HealthAnswer } from "./ask-health.ts";

/** Something that is wrong, and the command that mends it. */
export interface Finding {
  message: string;
  next: string;
}

/** What one check saw. */
export interface Looked {
  /** In a few words: what was looked at, or why it was not. */
  saw: string;
  findings: readonly Finding[];
  /** It could not be checked, and that alone is nothing wrong. */
  skipped?: true;
}

/** The installation as the checks see it. */
export interface Patient {
  io: CliIo;
  places: Places;
  /** `--data-dir` was given: the folder is the one that is asked about. */
  namesDataDir: boolean;
  /** Absent when they cannot be read, which a check of its own finds. */
  settings: Settings | undefined;
  /** Absent when there is no address to speak to. */
  client: Client | undefined;
  /** Absent when there was nobody to ask. */
  health: HealthAnswer | undefined;
  /** Anything thrown, in words. */
  describe(thrown: unknown): Promise<{ message: string; next?: string | undefined }>;
}

/** One thing to look at. Never rejects for what it is there to find. */
export interface DoctorCheck {
  name: string;
  look(patient: Patient): Promise<Looked>;
}

export function fine(saw: string): Looked {
  return { saw, findings: [] };
}

export function skipped(saw: string): Looked {
  return { saw, findings: [], skipped: true };
}

export function found(saw: string, ...findings: readonly Finding[]): Looked {
  return { saw, findings };
}
