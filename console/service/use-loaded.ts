import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Client } from "../../shared/client/client-over.ts";
import { errorText } from "../../shared/error-text.ts";
import { api, isAborted } from "./api.ts";
import { type LiveEvent, onLive } from "./live.ts";

export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly error: string | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
  /** Changes what is shown without asking again. */
  readonly put: (change: (value: Value) => Value) => void;
}

interface LoadedOptions {
  /** What was shown stays until the answer for another key is there: a list that is narrowed does not flash. */
  readonly keepsFormer?: boolean;
}

interface State<Value> {
  readonly key: string;
  /** Of which `value` is. */
  readonly valueKey?: string;
  readonly value?: Value;
  readonly error?: string;
  readonly isLoading: boolean;
}

/** A read that is not answered yet. */
interface UnderWay {
  readonly since: number;
  /** It may be older than what happened since: it is followed by another one. */
  isDue: boolean;
}

/** A read that takes longer may never be answered: another one takes its place. */
const LONGEST_READ_MS = 30_000;

/**
 * What a screen reads. Asked again when `key` changes; an answer that is not wanted any more is dropped. The former value
 * stays while the next one is on its way, unless the key changed. Who asks again amid a read gets its answer first: under
 * steady events a slow read would else never be shown.
 */
export function useLoaded<Value>(
  key: string,
  read: (client: Client, signal: AbortSignal) => Promise<Value>,
  { keepsFormer = false }: LoadedOptions = {},
): Loaded<Value> {
  const [state, setState] = useState<State<Value>>({ key, isLoading: true });
  const [round, setRound] = useState(0);
  const reading = useRef(read);
  reading.current = read;
  const underWay = useRef<UnderWay | undefined>(undefined);

  useEffect(() => {
    const stop = new AbortController();
    const own: UnderWay = { since: performance.now(), isDue: false };
    underWay.current = own;
    setState((before) => {
      if (before.key === key) return { ...before, isLoading: true };
      const { error: _past, ...kept } = before;
      return keepsFormer ? { ...kept, key, isLoading: true } : { key, isLoading: true };
    });
    reading
      .current(api(), stop.signal)
      .then((value) => !stop.signal.aborted && setState({ key, valueKey: key, value, isLoading: false }))
      .catch((error: unknown) => {
        if (stop.signal.aborted || isAborted(error)) return;
        const failed = { key, error: errorText(error), isLoading: false };
        setState((before) => (before.valueKey === key ? { ...before, ...failed } : failed));
      })
      .finally(() => {
        if (underWay.current !== own) return;
        underWay.current = undefined;
        if (own.isDue) setRound((before) => before + 1);
      });
    return () => {
      if (underWay.current === own) underWay.current = undefined;
      stop.abort();
    };
  }, [key, round]);

  const reload = useCallback(() => {
    const present = underWay.current;
    if (present !== undefined && performance.now() - present.since < LONGEST_READ_MS) present.isDue = true;
    else setRound((before) => before + 1);
  }, []);
  const put = useCallback(
    (change: (value: Value) => Value) =>
      setState((before) => (before.value === undefined ? before : { ...before, value: change(before.value) })),
    [],
  );
  const isCurrent = state.key === key;
  return {
    value: isCurrent || keepsFormer ? state.value : undefined,
    error: isCurrent ? state.error : undefined,
    isLoading: state.isLoading || !isCurrent,
    reload,
    put,
  };
}

/** Calls back for the events of these kinds while the screen is open. */
export function useLive(kinds: readonly string[], listener: (event: LiveEvent) => void): void {
  const current = useRef(listener);
  current.current = listener;
  const wanted = kinds.join();
  useEffect(() => onLive((event) => wanted.split(",").includes(event.kind) && current.current(event)), [wanted]);
}

/** Events that come together make one question. */
const SOON_MS = 400;
const PACE_MS = 2_000;
/** Of sums over many runs, which take the service a while. */
export const SUMS_PACE_MS = 10_000;

/**
 * Asks again soon after events of these kinds, however many there are: once in `paceMs` at most, and not at all while nobody
 * sees the page.
 */
export function useReloadOn(kinds: readonly string[], reload: () => void, paceMs = PACE_MS): void {
  const state = useRef<{ timer?: ReturnType<typeof setTimeout> | undefined; lastAt: number; isDue: boolean }>({
    lastAt: -Infinity,
    isDue: false,
  });
  const plan = () => {
    const planned = state.current;
    planned.isDue = true;
    if (document.hidden) return;
    planned.timer ??= setTimeout(
      () => {
        planned.timer = undefined;
        planned.lastAt = performance.now();
        planned.isDue = false;
        reload();
      },
      Math.max(SOON_MS, planned.lastAt + paceMs - performance.now()),
    );
  };
  useLive(kinds, plan);
  useEffect(() => {
    const seen = () => state.current.isDue && plan();
    document.addEventListener("visibilitychange", seen);
    return () => {
      document.removeEventListener("visibilitychange", seen);
      clearTimeout(state.current.timer);
    };
  }, []);
}
