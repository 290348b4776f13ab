import { defineConfig, mergeConfig } from "vitest/config";
import base from "../../vitest.config.ts";
import { rows } from "./rows.ts";

/** The files of {@link rows} and nothing else, with a line for each row at the end: `npm run test:security`. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: [] } },
  defineConfig({
    test: {
      include: [...new Set(rows.flatMap(({ tests }) => tests.map(({ file }) => file)))],
      reporters: ["default", "./test/security/rows-reporter.ts"],
    },
  }),
);
