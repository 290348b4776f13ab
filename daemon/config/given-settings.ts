import type { z } from "zod";
import type { Environment } from "../../shared/places.ts";
import { ConfigRefused } from "./config-refused.ts";

/**
 * What flags and environment say, read one setting at a time: the flag, then the variable. A variable that is empty counts as
 * not set. What cannot be used throws `ConfigRefused`, which names the setting and what it takes.
 */
export class GivenSettings {
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  text(variable: string, flag?: string): string | undefined {
    return flag ?? (this.#environment[variable] || undefined);
  }

  /** The values of a repeated flag, or of a variable separated by commas. */
  list(variable: string, flag?: readonly string[]): string[] {
    if (flag !== undefined && flag.length > 0) return [...flag];
    return (this.#environment[variable] ?? "")
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "");
  }

  /** `unset`: what holds where nobody has set it. */
  isOn(variable: string, unset = false): boolean {
    const text = this.#environment[variable]?.toLowerCase() ?? "";
    if (text === "") return unset;
    if (["1", "true", "yes", "on"].includes(text)) return true;
    if (["0", "false", "no", "off"].includes(text)) return false;
    throw new ConfigRefused(`${variable} takes 1 or 0, got "${this.#environment[variable]}"`);
  }

  number(variable: string, takes: z.ZodType<number>): number | undefined {
    const text = this.text(variable);
    if (text === undefined) return undefined;
    const parsed = takes.safeParse(text);
    if (parsed.success) return parsed.data;
    throw new ConfigRefused(`${variable}: ${parsed.error.issues[0]?.message ?? "not a usable number"}, got "${text}"`);
  }

  /** `what`: the counted things, for the message. */
  limit(variable: string, what: string): number | "off" | undefined {
    const text = this.text(variable);
    if (text === undefined) return undefined;
    if (text.toLowerCase() === "off") return "off";
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
    throw new ConfigRefused(`${variable} takes ${what}, or off, got "${text}"`);
  }

  /** `name` is that of the flag. */
  port(
    variable: string,
    { flag, name }: { readonly flag: string | undefined; readonly name: string },
  ): number | undefined {
    const text = this.text(variable, flag);
    if (text === undefined || text === "") return undefined;
    const port = Number(text);
    if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
    throw new ConfigRefused(`${name} (${variable}) takes a port from 0 (any free one) to 65535, got "${text}"`);
  }
}

/** Without the members that are undefined. */
export function onlyGiven<Members extends object>(
  members: Members,
): { [Name in keyof Members]?: Exclude<Members[Name], undefined> } {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [Name in keyof Members]?: Exclude<Members[Name], undefined> };
}
