import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { z } from "zod";
import { BIG, loadCollection, type CollectedEndpoint } from "../collections.ts";

const SourcePair = z.object({ q: z.string(), tool: z.string(), source: z.string() });
/** A request and the text of the tool or intent that serves it; the parts of the text are joined by " . ". */
export type SourcePair = z.infer<typeof SourcePair>;

export interface Sources {
  readonly endpoints: readonly CollectedEndpoint[];
  readonly pairs: readonly SourcePair[];
}

/** What the vectors are trained on: the endpoints of `big` and the public pairs. Throws where a file is missing. */
export function readSources(evalDir: string): Sources {
  const lines = gunzipSync(readFileSync(join(evalDir, "pairs", "pairs.ndjson.gz"))).toString("utf8");
  return {
    endpoints: loadCollection(evalDir, BIG).endpoints,
    pairs: lines
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => SourcePair.parse(JSON.parse(line))),
  };
}
