import { setFlagsFromString } from "node:v8";

/** While starting, and as V8 has it. */
const flags = [
  // V8's space for new objects doubles when much in it survives. While a daemon starts nearly everything does, so the space
  // would grow to its limit, and it never shrinks again while the daemon is idle.
  { starting: "--semi-space-growth-factor=1", usual: "--semi-space-growth-factor=2" },
  // What is optimized in half a second is rarely used again, and takes a twelfth of a start.
  { starting: "--no-opt", usual: "--opt" },
] as const;
/** V8 complains on stderr of a flag that it does not know; the versions of Node up to this one know them. */
const LATEST_NODE = 24;
/** A start that takes longer reads much, which is better optimized. */
const LONGEST_MS = 2_000;

export interface StartingFlags {
  /** Does this with the flags of the start: V8 accepts compiled code only with the flags with which it was kept. */
  during(work: () => void): void;
  /** Ends the start, if its time has not. */
  end(): void;
}

/** Sets V8 for a start, for two seconds at most. Does nothing where Node was given flags of the kind, or is newer. */
export function useStartingFlags(): StartingFlags {
  const given = [...process.execArgv, process.env["NODE_OPTIONS"]].join(" ");
  const isNewer = Number.parseInt(process.versions.node, 10) > LATEST_NODE;
  if (isNewer || /jitless|opt\b|turbofan|semi[-_]space/.test(given)) return { during: (work) => work(), end: () => {} };
  const set = (when: "starting" | "usual") => {
    for (const flag of flags) setFlagsFromString(flag[when]);
  };
  set("starting");
  const end = () => {
    clearTimeout(timer);
    set("usual");
  };
  const timer = setTimeout(end, LONGEST_MS).unref();
  return {
    during(work) {
      set("starting");
      work();
      set("usual");
    },
    end,
  };
}
