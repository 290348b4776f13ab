import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import LongestFirst from "./test/lanes/longest-first.ts";

/**
 * A test runs once: to optimize its code soon, and to collect what it leaves often, costs a seventh of the processor time. Node
 * 22 and newer do not know the flag, and refuse to start with it.
 */
const optimizesLate = process.versions.node.startsWith("20.") ? ["--interrupt-budget=1000000"] : [];

export default defineConfig({
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A poll waits for an event; one second, the default, is less than a busy machine takes now and then.
    expect: { poll: { timeout: 15_000 } },
    // Four on two cores: tests wait for disks, processes and times, and each further worker loads the product once more.
    maxWorkers: Math.max(4, availableParallelism()),
    execArgv: [...optimizesLate, "--max-semi-space-size=32"],
    globalSetup: ["./test/lanes/temporary-folder.ts", "./test/lanes/postgres-server.ts"],
    slowTestThreshold: 2_000,
    // To load the product anew for each of 400 files takes a quarter of the whole time. No test mocks a module, and what
    // a file changes of its process it changes back.
    isolate: false,
    sequence: { sequencer: LongestFirst },
  },
});
