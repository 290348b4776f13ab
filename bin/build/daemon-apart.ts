import type { Plugin } from "esbuild";

/** The daemon is a file of its own (build-daemon.ts), which the command line imports as one from outside. */
export const daemonApart: Plugin = {
  name: "daemon-apart",
  setup(build) {
    build.onResolve({ filter: /[\\/]daemon-program\.ts$/ }, () => ({ path: "./daemon.js", external: true }));
  },
};
