import type { ProcessIdentity, ProcessTable } from "../../daemon/storage/journal/folder/process-table.ts";

/** One host whose processes begin and end when a test says so. */
export class SimulatedProcesses {
  #lastPid = 100;
  readonly #alive = new Set<number>();

  /** A new process, as it sees the host. */
  begin(members: Partial<ProcessIdentity> = {}): ProcessTable & { readonly pid: number; end(): void } {
    this.#lastPid += 1;
    const pid = this.#lastPid;
    this.#alive.add(pid);
    return {
      pid,
      self: async () => ({ pid, start: startOf(pid), boot: "b1", host: "h1", pidNamespace: "n1", ...members }),
      findStart: async (other) => (this.#alive.has(other) ? startOf(other) : undefined),
      end: () => void this.#alive.delete(pid),
    };
  }
}

function startOf(pid: number): string {
  return `start of ${pid}`;
}
