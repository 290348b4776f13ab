import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Options } from "tsup";

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

const commonPath = fileURLToPath(new URL("./common-path.ts", import.meta.url));
const namespace = "lazy";

/**
 * esbuild cuts what files share into chunks by who reaches it; with a lazy import for every command that makes dozens of
 * tiny ones, and each costs a start half a millisecond. So whatever is imported lazily is made to reach all of the common
 * path, which a running program has loaded anyway: then nobody reaches a part of it alone, and it stays in a few files.
 */
export const gatherCommonPath: Plugin = {
  name: "gather-common-path",
  setup(build) {
    build.onResolve({ filter: /^\./ }, ({ kind, resolveDir, path }) =>
      kind === "dynamic-import" ? { path: resolve(resolveDir, path), namespace } : undefined,
    );
    build.onLoad({ filter: /./, namespace }, ({ path }) => ({
      contents: `import ${JSON.stringify(commonPath)};\nexport * from ${JSON.stringify(path)};\n`,
      resolveDir: dirname(path),
    }));
  },
};
