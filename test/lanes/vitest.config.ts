import { defineConfig, mergeConfig } from "vitest/config";
import base from "../../vitest.config.ts";
import { unitFiles } from "./unit-lane.ts";

/** The unit lane alone: `npm run test:unit`. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: [] } },
  defineConfig({ test: { include: unitFiles() } }),
);
