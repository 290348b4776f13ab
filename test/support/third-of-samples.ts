import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { isLong } from "./effort.ts";

const THIRDS = 3;

/**
 * The short form takes every third of many samples, others after each commit, so that each is tried soon; the same again
 * as long as nothing is committed. The long form takes them all, and so does a checkout without git.
 */
export function thirdOfSamples<T>(samples: readonly T[]): readonly T[] {
  const commit = isLong ? undefined : lastCommit();
  if (commit === undefined) return samples;
  const turn = Number.parseInt(commit.slice(0, 8), 16) % THIRDS;
  return samples.filter((_, index) => index % THIRDS === turn);
}

function lastCommit(): string | undefined {
  try {
    const cwd = fileURLToPath(new URL("../..", import.meta.url));
    const said = execFileSync("git", ["rev-parse", "HEAD"], {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return said.trim();
  } catch {
    return undefined;
  }
}
