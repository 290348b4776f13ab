import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type DoctorCheck, fine, found, skipped } from "../../cli/doctor/check.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { countWords } from "../../shared/count-words.ts";
import { bundledFolders } from "../catalog/bundled-folders.ts";

/** Whether your own provider files can be used; an invalid file is one finding, however many mistakes it has. */
export function manifestsCheck(bundledCatalogDir: string): DoctorCheck {
  return {
    name: "manifests",
    async look({ places: { configDir } }) {
      const dir = join(configDir, "catalog");
      const nothing = skipped(`none of your own in ${dir}`);
      if ((await readdir(dir).catch(() => [])).length === 0) return nothing;
      const { checkCatalog } = await import("../../daemon/catalog-review/catalog-check.ts");
      const named = { paths: [], defaults: [{ dir, replacesBundled: true }], ...bundledFolders(bundledCatalogDir) };
      const { files, problems } = await checkCatalog(named);
      const wrong = [...new Set(problems.map(({ file }) => file))];
      if (files.length === 0 && wrong.length === 0) return nothing;
      const findings = wrong.map((file) => {
        const own = problems.filter((problem) => problem.file === file);
        const message = `${file}: ${countWords(own.length, "problem")}; the first: ${own[0]?.message}`;
        return { message, next: shellLine("mkt", "catalog", "check", file) };
      });
      return findings.length === 0 ? fine(countWords(files.length, "file")) : found(`${dir}`, ...findings);
    },
  };
}
