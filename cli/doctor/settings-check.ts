import { CliError } from "../core/cli-error.ts";
import { readSettings } from "../connection/read-settings.ts";
import type { SettingFlags } from "../connection/read-settings.ts";
import { type DoctorCheck, fine, found } from "./check.ts";

/** Whether profile, address and key file can be used. */
export function settingsCheck(flags: SettingFlags): DoctorCheck {
  return {
    name: "settings",
    async look({ io }) {
      try {
        const { profile } = await readSettings(flags, io.env);
        return fine(`profile ${profile.name}, from ${profile.from}`);
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        return found("they cannot be used", { message: error.message, next: error.next ?? "mkt profile list" });
      }
    },
  };
}
