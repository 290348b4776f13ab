import { statSync } from "node:fs";
import { refusedInput } from "../core/cli-error.ts";
import { shellLine } from "../../shared/words/shell-line.ts";

/**
 * Throws refused input when others than its owner may use a file with secrets. `advice` is what to do if somebody
 * did. docs/security.md, T18. Windows has no such bits and shows them all set.
 */
export function refuseShared(path: string, holds: string, advice = ""): void {
  const mode = statSync(path).mode & 0o777;
  if ((mode & 0o077) === 0 || process.platform === "win32") return;
  throw refusedInput(
    `The file ${path} contains ${holds} and is open to other users (mode ${mode.toString(8)}). ` +
      `Restrict it to yourself${advice}`,
    shellLine("chmod", "600", path),
  );
}
