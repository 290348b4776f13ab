import { shareText } from "../words/amounts.ts";

interface MeterProps {
  readonly label: string;
  /** 1 is all of it; more than that is shown as full. */
  readonly share: number;
  /** Of a whole, not of a limit: much of it is no warning. */
  readonly plain?: boolean;
}

const NEAR = 0.8;

/** How much of a limit is used, as a bar with its share in words. */
export function Meter({ label, share, plain = false }: MeterProps) {
  const used = Number.isFinite(share) ? share : 1;
  const tone = plain ? "meter" : used >= 1 ? "meter bad" : used >= NEAR ? "meter warn" : "meter";
  return (
    <span class="metered">
      <span class={tone} role="img" aria-label={`${label}: ${shareText(used)}`}>
        <i style={{ width: `${Math.min(100, Math.max(0, used * 100))}%` }} />
      </span>
      {shareText(used)}
    </span>
  );
}
