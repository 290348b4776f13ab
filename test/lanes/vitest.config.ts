import { availableParallelism } from "node:os";
import { defineConfig, mergeConfig } from "vitest/config";
import base from "../../vitest.config.ts";
import { unitFiles } from "./unit-lane.ts";

/** The unit lane alone: `npm run test:unit`. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: [] } },
  // They only calculate: more workers than cores would each load the product for nothing.
  defineConfig({ test: { include: unitFiles(), maxWorkers: Math.max(2, availableParallelism()) } }),
);
