import { readFileSync, writeFileSync } from "node:fs";

/** Shares and means from 0 to 1 by name, each of which had better be higher. */
export type Figures = Readonly<Record<string, number>>;

/** How far below its committed value a figure may be. */
export const ALLOWED_FALL = 0.01;

/**
 * The figures that have fallen below those of a file beside this one, in words; and those that only one side has. With
 * MKT_FIGURES=write the file is written instead, for a change that is meant. Groups that are not `asked` for are left out.
 */
export function compareWithCommitted(
  file: string,
  measured: Readonly<Record<string, Figures>>,
  asked?: readonly string[],
): string[] {
  const url = new URL(file, import.meta.url);
  if (process.env["MKT_FIGURES"] === "write") {
    const rounded = JSON.stringify(measured, (_, value) => (typeof value === "number" ? round(value) : value), 2);
    writeFileSync(url, `${rounded}\n`);
    return [];
  }
  const committed = Object.entries(JSON.parse(readFileSync(url, "utf8")) as Record<string, Figures>);
  return fallen(Object.fromEntries(committed.filter(([name]) => asked?.includes(name) ?? true)), measured);
}

/** Group by group; a group or a figure that only one side has is told as well. */
export function fallen(
  committed: Readonly<Record<string, Figures>>,
  measured: Readonly<Record<string, Figures>>,
): string[] {
  const groups = [...new Set([...Object.keys(committed), ...Object.keys(measured)])];
  return groups.flatMap((group) => {
    const [before, now] = [committed[group] ?? {}, measured[group] ?? {}];
    return [...new Set([...Object.keys(before), ...Object.keys(now)])].flatMap((name) => {
      const [was, is] = [before[name], now[name]];
      if (was !== undefined && is !== undefined && is >= was - ALLOWED_FALL) return [];
      return `${group} ${name}: committed ${tell(was)}, now ${tell(is)}`;
    });
  });
}

/** Whether the figures and what came out wrong are to be printed. */
export function isShown(): boolean {
  return process.env["MKT_FIGURES"] !== undefined;
}

function tell(value: number | undefined): string {
  return value === undefined ? "none" : value.toFixed(4);
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
