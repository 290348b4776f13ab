import { setFlagsFromString } from "node:v8";

/** While starting, and as V8 has it. */
const flags = [
  // V8's space for new objects doubles when much in it survives. While a daemon starts nearly everything does, so the space
  // would grow to its limit, and it never shrinks again while the daemon is idle.
  { starting: "--semi-space-growth-factor=1", usual: "--semi-space-growth-factor=2" },
  // What is optimized in half a second is rarely used again, and takes a twelfth of a start.
  { starting: "--no-opt", usual: "--opt" },
] as const;
/** V8 complains on stderr of a flag that it does not know. From 20 up to this one, Node's versions know them; newer ones may not. */
const LATEST_NODE = 24;
/** A flag of the kind, as V8 takes it: with one dash or two, and `-` or `_` between its words. A path is none. */
const OF_THE_KIND =
  /(?:^|[\s"])--?(?:no[-_]?)?(?:jitless|opt|turbofan|(?:(?:min|max)[-_])?semi[-_]space[-_a-z]*)(?=[\s="]|$)/;
/** A start that takes longer reads much, which is better optimized. */
const LONGEST_MS = 2_000;

export interface StartingFlags {
  /** Does this with the flags of the start: V8 accepts compiled code only with the flags with which it was kept. */
  during(work: () => void): void;
  /** Ends the start, if its time has not. May be called again. */
  end(): void;
}

/** What `useStartingFlags` takes from the process, unless it is given. */
export interface StartingFlagsParts {
  /** The flags that Node was given, with blanks between. */
  readonly given?: string;
  readonly nodeVersion?: string;
  readonly setFlags?: (flag: string) => void;
}

/** Sets V8 for a start, for two seconds at most. Does nothing where Node was given flags of the kind, or is newer. */
export function useStartingFlags({
  given = [...process.execArgv, process.env["NODE_OPTIONS"]].join(" "),
  nodeVersion = process.versions.node,
  setFlags = setFlagsFromString,
}: StartingFlagsParts = {}): StartingFlags {
  const isNewer = Number.parseInt(nodeVersion, 10) > LATEST_NODE;
  if (isNewer || OF_THE_KIND.test(given)) return { during: (work) => work(), end: () => {} };
  const set = (when: "starting" | "usual") => {
    for (const flag of flags) setFlags(flag[when]);
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
      try {
        work();
      } finally {
        set("usual");
      }
    },
    end,
  };
}
