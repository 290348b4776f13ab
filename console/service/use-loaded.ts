import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Client } from "../../shared/client/client-over.ts";
import { api, errorText, isAborted } from "./api.ts";
import { type LiveEvent, onLive } from "./live.ts";

export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly error: string | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
  /** Changes what is shown without asking again. */
  readonly put: (change: (value: Value) => Value) => void;
}

/**
 * What a screen reads. Asked again when `key` changes; an answer that is not wanted any more is dropped. The former value
 * stays while the next one is on its way, unless the key changed.
 */
export function useLoaded<Value>(
  key: string,
  read: (client: Client, signal: AbortSignal) => Promise<Value>,
): Loaded<Value> {
  const [state, setState] = useState<{ key: string; value?: Value; error?: string; isLoading: boolean }>({
    key,
    isLoading: true,
  });
  const [round, setRound] = useState(0);
  const reading = useRef(read);
  reading.current = read;

  useEffect(() => {
    const stop = new AbortController();
    setState((before) => (before.key === key ? { ...before, isLoading: true } : { key, isLoading: true }));
    reading
      .current(api(), stop.signal)
      .then((value) => !stop.signal.aborted && setState({ key, value, isLoading: false }))
      .catch((error: unknown) => {
        if (stop.signal.aborted || isAborted(error)) return;
        setState((before) => ({ ...before, key, error: errorText(error), isLoading: false }));
      });
    return () => stop.abort();
  }, [key, round]);

  const reload = useCallback(() => setRound((before) => before + 1), []);
  const put = useCallback(
    (change: (value: Value) => Value) =>
      setState((before) => (before.value === undefined ? before : { ...before, value: change(before.value) })),
    [],
  );
  return {
    value: state.key === key ? state.value : undefined,
    error: state.key === key ? state.error : undefined,
    isLoading: state.isLoading || state.key !== key,
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

/** Asks again soon after events of these kinds: many at once make one question. */
export function useReloadOn(kinds: readonly string[], reload: () => void): void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useLive(kinds, () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      reload();
    }, 400);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
}
