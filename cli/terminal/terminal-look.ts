import type { Environment } from "../../shared/places.ts";

/** How a terminal is written to, beside its width and its colours. */
export interface TerminalLook {
  /** Whether it shows more than ASCII. */
  readonly unicode: boolean;
  /** One thing a line, its name before it, nothing drawn twice: what a screen reader reads, and what `TERM=dumb` can show. */
  readonly linear: boolean;
}

/** How the terminal of this environment is written to. */
export function terminalLook(env: Environment): TerminalLook {
  return { unicode: showsUnicode(env), linear: env["TERM"] === "dumb" || readsAloud(env) };
}

/** By the locale for characters as POSIX finds it: LC_ALL, LC_CTYPE, LANG; the first that is set and not empty. */
function showsUnicode(env: Environment): boolean {
  // The console of the Linux kernel reads UTF-8 but has hardly a glyph of what we draw.
  if (env["TERM"] === "linux") return false;
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"];
  // Nothing set is POSIX by the letter; in practice it is a container, under a terminal that shows UTF-8.
  if (!locale) return true;
  if (locale === "C" || locale === "POSIX") return false;
  const [, encoding] = /\.([^@]+)/.exec(locale) ?? [];
  return encoding === undefined || /^utf-?8$/i.test(encoding);
}

/** The variable that ink and the tools built on it read. */
function readsAloud(env: Environment): boolean {
  const asked = env["INK_SCREEN_READER"] ?? "";
  return asked !== "" && asked !== "0" && asked !== "false";
}
