import { fileURLToPath } from "node:url";
import type { InlineConfig } from "vite";

/**
 * One page whose addresses are all relative, since a deployment may give it a prefix. Nothing inline: the policy of the
 * page forbids it. docs/console.md, "What protects it"
 */
export const consoleConfig = {
  configFile: false,
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "./",
  publicDir: false,
  logLevel: "warn",
  server: {
    // For development: a daemon of this machine, with a key put in by hand.
    proxy: { "/v1": "http://127.0.0.1:7717", "/public": "http://127.0.0.1:7717" },
  },
  build: {
    outDir: "../dist/console",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    // For the list of packages; not in the package itself.
    sourcemap: "hidden",
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        entryFileNames: "assets/[name].[hash].js",
        chunkFileNames: "assets/[name].[hash].js",
        assetFileNames: "assets/[name].[hash][extname]",
      },
    },
  },
} satisfies InlineConfig;

export default consoleConfig;
