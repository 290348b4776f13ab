import { z } from "zod";
import { ApiError } from "../../../shared/errors.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import type { Environment } from "./secrets.ts";

/** The file `<config>/secrets.json`: the name of an environment variable → its value. */
export const SecretsDocument = z.record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), z.string().min(1));
export type SecretsDocument = z.infer<typeof SecretsDocument>;

/** The part of the operator's private secrets file that is needed here. */
export interface SecretsFile {
  /** As of the last read or update. */
  readonly data: SecretsDocument;
  /** Reads the file again, lets `change` work on a copy, and resolves when the result is on the disk. */
  update(change: (data: SecretsDocument) => void): Promise<void>;
}

/** What the operator stored instead of environment variables; the environment wins. Never in the data folder. */
export interface SecretStore {
  /** The same object as long as nothing changes. */
  values(): Environment;
  /** Every value since the start, including replaced and removed ones; the same object until one is added. */
  everKnown(): readonly string[];
  /** Whether the environment has a value of its own for the name. */
  isOverridden(name: string): boolean;
  /** When the value of one of these names was last set or removed, of this process; undefined: not since its start. */
  changedAtMs(names: readonly string[]): number | undefined;
  /** Resolves when durable; in effect from then on. Throws a 400 for an invalid value. */
  put(name: string, value: string): Promise<void>;
  /** Resolves when durable; false when there was none. */
  remove(name: string): Promise<boolean>;
}

const MAX_VALUE_CHARACTERS = 32_768;

/** `environment` is the daemon's own. */
export function createSecretStore(
  file: SecretsFile,
  environment: Environment,
  clock: Clock = systemClock,
): SecretStore {
  const changed = new Map<string, number>();
  let everKnown: readonly string[] = [];
  const learn = (values: readonly string[]) => {
    const added = values.filter((value) => !everKnown.includes(value));
    if (added.length > 0) everKnown = [...everKnown, ...added];
  };
  let known: SecretsDocument = {};
  /** Another daemon that shares the file may have changed it. */
  const current = (): SecretsDocument => {
    const { data } = file;
    if (data === known) return data;
    learn(Object.values(data));
    known = data;
    return data;
  };
  current();

  return {
    values: current,
    everKnown() {
      current();
      return everKnown;
    },
    isOverridden: (name) => (environment[name] ?? "") !== "",
    changedAtMs(names) {
      const moments = names.flatMap((name) => changed.get(name) ?? []);
      return moments.length === 0 ? undefined : Math.max(...moments);
    },
    async put(name, value) {
      checkValue(value);
      // Learned before it is written, so that an error of the write is redacted already.
      learn([value]);
      await file.update((data) => {
        data[name] = value;
      });
      changed.set(name, clock.now());
    },
    async remove(name) {
      const existed = Object.hasOwn(current(), name);
      await file.update((data) => {
        delete data[name];
      });
      changed.set(name, clock.now());
      return existed;
    },
  };
}

/** The error does not contain the value. */
function checkValue(value: string): void {
  if (value === "" || value.length > MAX_VALUE_CHARACTERS) {
    throw new ApiError("invalidInput", `value: must have 1 to ${MAX_VALUE_CHARACTERS} characters`);
  }
  if (value.includes("\0") || value.trim() !== value) {
    throw new ApiError(
      "invalidInput",
      "value: must not begin or end with a blank or a line break, nor hold a zero byte",
    );
  }
}
