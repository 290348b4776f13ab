import type { Run } from "../../shared/contract/runs.ts";
import { Meter } from "../parts/Meter.tsx";
import { countText } from "../words/amounts.ts";
import { inertText } from "../words/inert-text.ts";
import { Time } from "../parts/Time.tsx";

/** How far a run is that goes on: a bar where its provider tells a share, else in its words. */
export function RunProgress({ run }: { readonly run: Partial<Pick<Run, "progress" | "progressUnit" | "createdAt">> }) {
  const { progress, progressUnit, createdAt } = run;
  const share = shareOf(progress, progressUnit);
  return (
    <div class="note" role="status">
      <p>
        Under way
        {createdAt !== undefined && (
          <>
            , asked for <Time at={createdAt} />
          </>
        )}
        {share === undefined && progress !== undefined && `: ${wordsOf(progress, progressUnit)}`}
      </p>
      {share !== undefined && <Meter plain label="Progress" share={share} />}
    </div>
  );
}

function shareOf(progress: Run["progress"], unit: string | undefined): number | undefined {
  if (typeof progress !== "number" || !Number.isFinite(progress)) return undefined;
  if (unit === "percent") return progress / 100;
  return unit === "fraction" ? progress : undefined;
}

function wordsOf(progress: string | number, unit: string | undefined): string {
  const words = typeof progress === "number" ? countText(progress) : inertText(progress.slice(0, 200));
  return unit === undefined ? words : `${words} ${inertText(unit)}`;
}
