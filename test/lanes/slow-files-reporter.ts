import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

const list = fileURLToPath(new URL("slow-files.json", import.meta.url));
/** In seconds: a file that is quicker can be anywhere in the order. */
const LEAST_SECONDS = 0.5;

/** Writes which files are slow, for the order and for the unit lane: `npm run test:times`, on a machine without other work. */
export default class SlowFilesReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const times = modules.map((module): [string, number] => {
      const seconds = Math.round(module.diagnostic().duration / 100) / 10;
      return [relative(module.project.config.root, module.moduleId), seconds];
    });
    const slow = times.filter(([, seconds]) => seconds >= LEAST_SECONDS);
    slow.sort(([one], [other]) => one.localeCompare(other));
    writeFileSync(list, `${JSON.stringify(Object.fromEntries(slow), null, 2)}\n`);
  }
}
