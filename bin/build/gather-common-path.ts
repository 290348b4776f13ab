import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Options } from "tsup";

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

export const commonPath = fileURLToPath(new URL("../common-path.ts", import.meta.url));
/** Of what is imported lazily, by its path. */
export const lazily = "lazy";
/** The modules of the common path. */
const common: ReadonlySet<string> = new Set(
  [...readFileSync(commonPath, "utf8").matchAll(/ from "([^"]+)";$/gm)].map(([, name = ""]) =>
    resolve(dirname(commonPath), name),
  ),
);

/**
 * esbuild cuts what files share into chunks by who reaches it; with a lazy import for every command that makes dozens of
 * tiny ones, and each costs a start half a millisecond. So whatever is imported lazily is made to reach all of the common
 * path, which a running program has loaded anyway: then nobody reaches a part of it alone, and it stays in one file. A
 * module of the common path that is imported lazily is that file, not another one that passes it on.
 */
export const gatherCommonPath: Plugin = {
  name: "gather-common-path",
  setup(build) {
    build.onResolve({ filter: /^\./ }, ({ kind, resolveDir, path }) => {
      if (kind !== "dynamic-import") return undefined;
      const imported = resolve(resolveDir, path);
      return common.has(imported) ? { path: commonPath } : { path: imported, namespace: lazily };
    });
    build.onResolve({ filter: /^[^./]/ }, ({ kind, importer, resolveDir, path }) =>
      kind === "dynamic-import" && !isBuiltin(path) && !importer.includes("node_modules")
        ? { path, namespace: lazily, pluginData: { resolveDir } }
        : undefined,
    );
    build.onLoad({ filter: /./, namespace: lazily }, ({ path, pluginData }) => {
      const name = JSON.stringify(path);
      const lines = [`import ${JSON.stringify(commonPath)};`, `export * from ${name};`];
      const ofPackage = pluginData as { readonly resolveDir: string } | undefined;
      if (ofPackage !== undefined) lines.push(`import * as all from ${name};`, "export default all.default;");
      return { contents: lines.join("\n"), resolveDir: ofPackage?.resolveDir ?? dirname(path) };
    });
  },
};
