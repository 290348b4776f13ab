import type { Client } from "../../shared/client/client.ts";
import type { Places } from "../../shared/places.ts";
import type { CliIo } from "../core/cli-io.ts";
import type { Settings } from "../connection/read-settings.ts";
import type { HealthAnswer } from "./ask-health.ts";

/** Something that is wrong, and the command that fixes it. */
export interface Finding {
  message: string;
  next: string;
}

/** What one check saw. */
export interface Looked {
  /** In a few words: what was checked, or why it was not. */
  saw: string;
  findings: readonly Finding[];
  /** It could not be checked, which alone is no finding. */
  skipped?: true;
}

/** The installation as the checks see it. */
export interface Patient {
  io: CliIo;
  places: Places;
  /** `--data-dir` was given: the question is about that folder. */
  namesDataDir: boolean;
  /** Absent when they cannot be read, which a separate check reports. */
  settings: Settings | undefined;
  /** Absent when there is no address. */
  client: Client | undefined;
  /** Absent when there was nobody to ask. */
  health: HealthAnswer | undefined;
  /** Anything thrown, in words. */
  describe(thrown: unknown): Promise<{ message: string; next?: string | undefined }>;
}

/** One check. Never rejects because of a problem that it is meant to find. */
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
