const DAY_MS = 86_400_000;

/**
 * Offsets of one time zone, from ICU's tables.
 *
 * All times are epoch milliseconds; "local" ones are the wall clock time read as if it were UTC. Offsets are seconds
 * east of UTC (before 1900 some are not whole minutes).
 */
export class ZoneOffsets {
  private readonly format: Intl.DateTimeFormat;

  constructor(readonly zone: string) {
    this.format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
  }

  offsetSeconds(instantMs: number): number {
    return Math.round((this.localMs(instantMs) - Math.floor(instantMs / 1000) * 1000) / 1000);
  }

  /** The wall clock time at an instant. */
  localMs(instantMs: number): number {
    const digits = this.format.format(instantMs).match(/\d+/g) ?? [];
    const [month = 1, day = 1, year = 0, hour = 0, minute = 0, second = 0] = digits.map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, second);
  }

  /**
   * The instants at which the wall clock shows a time: usually one, two (earlier first) when clocks go back over it,
   * none when they jump over it.
   */
  instantsOf(localMs: number): number[] {
    const before = localMs - this.offsetSeconds(localMs - DAY_MS) * 1000;
    const after = localMs - this.offsetSeconds(localMs + DAY_MS) * 1000;
    return [...new Set([before, after])]
      .filter((instantMs) => this.localMs(instantMs) === localMs)
      .sort((a, b) => a - b);
  }

  /**
   * The single instant of a local time: the earlier of two; for a skipped time, the instant as far after the jump as
   * the time is into it.
   */
  instantOf(localMs: number): number {
    return this.instantsOf(localMs)[0] ?? localMs - this.offsetSeconds(localMs - DAY_MS) * 1000;
  }
}

/** `+01:00`, with seconds only for an old offset that has some. */
export function formatOffset(offsetSeconds: number): string {
  const size = Math.abs(offsetSeconds);
  const parts = [Math.floor(size / 3600), Math.floor(size / 60) % 60, ...(size % 60 === 0 ? [] : [size % 60])];
  return (offsetSeconds < 0 ? "-" : "+") + parts.map((part) => String(part).padStart(2, "0")).join(":");
}

/** An instant as ISO 8601 to the second: in the zone's local time with its offset, or in UTC with Z. */
export function formatInstant(instantMs: number, offsets?: ZoneOffsets): string {
  const wholeMs = Math.round(instantMs / 1000) * 1000;
  if (offsets === undefined) return new Date(wholeMs).toISOString().replace(".000Z", "Z");
  const offsetSeconds = offsets.offsetSeconds(wholeMs);
  return formatLocal(wholeMs + offsetSeconds * 1000) + formatOffset(offsetSeconds);
}

/** `2026-03-29T01:30:00`, a wall clock without its zone. */
function formatLocal(localMs: number): string {
  return new Date(localMs).toISOString().slice(0, 19);
}
