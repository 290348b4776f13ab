import { defineConfig } from "tsup";

export default defineConfig({
  entry: { mkt: "bin/mkt.ts" },
  format: "esm",
  target: "node20",
  platform: "node",
  splitting: true,
  clean: true,
  sourcemap: true,
  dts: false,
  silent: true,
});
