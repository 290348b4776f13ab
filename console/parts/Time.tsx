import { now } from "../page/now.ts";
import { fullTime, relativeTime, shortTime } from "../words/times.ts";

interface TimeProps {
  readonly at: string | undefined;
  /** The hour, or how long ago. */
  readonly as?: "clock" | "age";
}

/** A time in the reader's zone and words; its whole form is its title. */
export function Time({ at, as = "age" }: TimeProps) {
  if (at === undefined) return <span class="muted">–</span>;
  return (
    <time dateTime={at} title={fullTime(at)}>
      {as === "age" ? relativeTime(at, now.value) : shortTime(at, now.value)}
    </time>
  );
}
