import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MktHome } from "./mkt-home.ts";

/** Replaces a brace with a blank in the run's line of that type, on the disk. No daemon may run there. */
export function damageRun(
  { dataDir }: Pick<MktHome, "dataDir">,
  runId: string,
  type: "run.done" | "run.accepted" = "run.done",
): void {
  const folder = join(dataDir, "log");
  for (const name of readdirSync(folder).filter((one) => one.endsWith(".ndjson"))) {
    const text = readFileSync(join(folder, name), "latin1");
    const lines = text.split("\n");
    const at = lines.findIndex((line) => line.includes(`"t":"${type}"`) && line.includes(runId));
    if (at === -1) continue;
    lines[at] = (lines[at] ?? "").replace('"rec":{', '"rec": ');
    writeFileSync(join(folder, name), lines.join("\n"), "latin1");
    return;
  }
  throw new Error(`no line ${type} of ${runId}`);
}
