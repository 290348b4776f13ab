import { onPostgres } from "../support/on-postgres.ts";

await onPostgres(import.meta.url, {
  always: ["./control-creations.test.ts", "./other-creations.test.ts", "./settled.test.ts"],
  long: ["./restart.test.ts", "./runs.test.ts", "./unreached.test.ts"],
  never: {
    "./cli.test.ts":
      "its service is a stand-in that keeps nothing, and one daemon that only shows what the command sent",
    "./contract.test.ts": "it reads the list of operations",
    "./one-at-a-time.test.ts": "requests that are under way are in the memory of one daemon",
    "./run-answer.test.ts": "it keeps nothing",
  },
});
