import { SharedLog } from "../support/shared-log.ts";
import { clusterContract } from "./cluster-contract.ts";

clusterContract(() => {
  const log = new SharedLog();
  return {
    open: (daemonId) => log.open(daemonId),
    async settle() {
      for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    },
    close: async () => {},
  };
});
