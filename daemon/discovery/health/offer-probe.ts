import type { CatalogEntry } from "../../catalog/catalog-entry.ts";
import type { ProbeSource } from "./health.ts";
import type { HealthyMatch } from "./health-effect.ts";

interface ProbedMatch extends HealthyMatch {
  readonly entry: CatalogEntry;
}

export interface ProbeQuestion<Match extends ProbedMatch> {
  /** What is to be shown, best first. */
  readonly shown: readonly Match[];
  /** What is hidden and in outage, best first. */
  readonly out: readonly Match[];
  /** So many will be on the page. */
  readonly limit: number;
  readonly probes: ProbeSource;
  readonly viewer: string | undefined;
}

/**
 * Shows at most one endpoint in outage again, the best whose turn it is: at its place, but behind the first that works, and
 * only where the caller sees it, so that no turn is lost. It says that it is in outage; a run of it that succeeds ends that.
 */
export function offerProbe<Match extends ProbedMatch>({
  shown,
  out,
  limit,
  probes,
  viewer,
}: ProbeQuestion<Match>): readonly Match[] {
  for (const match of out) {
    const better = shown.filter(({ score }) => score >= match.score).length;
    const place = shown.length === 0 ? 0 : Math.max(1, better);
    const [provider, path] = [match.entry.provider.provider, match.entry.path];
    if (place >= limit || !probes.isProbeDue(provider, path, viewer)) continue;
    probes.noteProbe(provider, path, viewer);
    return [...shown.slice(0, place), { ...match, isProbe: true }, ...shown.slice(place)];
  }
  return shown;
}
