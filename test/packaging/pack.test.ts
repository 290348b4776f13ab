import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempDir } from "../support/temp-dir.ts";

const root = new URL("../..", import.meta.url).pathname;

it("the packed program starts by its own name, and holds nothing but what runs", () => {
  using folder = tempDir();
  const [packed] = JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: root, encoding: "utf8" }),
  ) as { readonly files: readonly { readonly path: string }[] }[];
  const paths = packed?.files.map(({ path }) => path) ?? [];
  for (const path of paths) {
    mkdirSync(join(folder.path, path, ".."), { recursive: true });
    cpSync(join(root, path), join(folder.path, path));
  }
  symlinkSync(join(root, "node_modules"), join(folder.path, "node_modules"));
  const { bin, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

  const { stdout, status } = spawnSync(join(folder.path, bin.mkt), ["--version"], { encoding: "utf8" });

  expect({ stdout: stdout.trim(), status }).toEqual({ stdout: version, status: 0 });
  expect(paths.filter((path) => !/^(dist|catalog)\/|^(package\.json|README\.md|LICENSE)$/.test(path))).toEqual([]);
});
