import { cpSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Plugin } from "esbuild";
import { buildDaemon, markBuild } from "../../bin/build/build-daemon.ts";
import { mktProgram } from "../support/spawn-mkt.ts";

/** The first change of the next schema version: what it adds, daemons of the version before do without. */
const NEXT = `{
  number: 100,
  title: "what the next version needs",
  sql: "alter table runs add column next text; alter table daemons add column build text not null default ''; create index on runs (next) where next is not null;",
}`;

const oneMoreChange: Plugin = {
  name: "one-more-change",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]migrations[\\/]all\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const changed = text.replace(/\];\s*$/, `, ${NEXT}];\n`);
      if (changed === text) throw new Error(`${path} has no list at its end`);
      return { contents: changed, loader: "ts" };
    });
  },
};

/** Builds the version after this one into a folder of its own, and returns its `mkt.js`. */
export async function buildNext(folder: string): Promise<string> {
  const dist = join(folder, "dist");
  cpSync(dirname(mktProgram), dist, { recursive: true, filter: (path) => !path.endsWith(".map") });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  await buildDaemon(dist, [oneMoreChange]);
  await markBuild(dist, "0.2.0");
  return join(dist, "mkt.js");
}
