import { fileURLToPath } from "node:url";
import type { Plugin } from "esbuild";
import { lazily } from "./gather-common-path.ts";

const builtDaemon = fileURLToPath(new URL("../compiled/built-daemon.ts", import.meta.url));

/** The daemon is a file of its own (build-daemon.ts), which the command line runs with its compiled code. */
export const daemonApart: Plugin = {
  name: "daemon-apart",
  setup(build) {
    build.onResolve({ filter: /[\\/]daemon-program\.ts$/ }, () => ({ path: builtDaemon, namespace: lazily }));
  },
};
