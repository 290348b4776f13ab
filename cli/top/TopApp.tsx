import { useApp, useInput, useStdout } from "ink";
import { type ReactElement, useEffect, useLayoutEffect, useState, useSyncExternalStore } from "react";
import { LookContext } from "../screen/look.ts";
import { pollTop, type TopSource } from "./poll-top.ts";
import { pressKey, type TopActions } from "./press-key.ts";
import { TopDashboard } from "./TopDashboard.tsx";
import type { TopSnapshot } from "./top-snapshot.ts";
import { createTopStore } from "./top-store.ts";

/** How the dashboard was left. */
export type TopEnd = "left" | "interrupted";

interface TopAppProps {
  readonly first: TopSnapshot;
  readonly source: TopSource;
  readonly actions: TopActions;
  /** Called when the last frame is drawn, also when a signal ends the process. */
  readonly onClose?: () => void;
}

/** The dashboard as it lives: reads again and again, and listens to keys. Ends with a {@link TopEnd}, or an error of reading. */
export function TopApp({ first, source, actions, onClose }: TopAppProps): ReactElement {
  const { exit } = useApp();
  const size = useTerminalSize();
  const [store] = useState(() => createTopStore(first));
  const state = useSyncExternalStore(store.subscribe, store.get);

  useEffect(() => {
    const controller = new AbortController();
    void pollTop(source, store.dispatch, controller.signal).catch((error: unknown) => {
      if (!controller.signal.aborted) exit(error instanceof Error ? error : new Error(String(error)));
    });
    return () => controller.abort();
  }, [source, store, exit]);
  useLayoutEffect(() => () => onClose?.(), [onClose]);

  useInput((input, key) => {
    if (key.ctrl && input === "c") return exit(endAs("interrupted"));
    if (store.get().asking === undefined && input === "q") return exit(endAs("left"));
    return pressKey(input, key, store, actions);
  });

  return (
    <LookContext.Provider value={{ columns: size.columns, linear: false }}>
      <TopDashboard state={state} columns={size.columns} rows={size.rows} />
    </LookContext.Provider>
  );
}

function endAs(end: TopEnd): TopEnd {
  return end;
}

function useTerminalSize(): { columns: number; rows: number } {
  const { stdout } = useStdout();
  const read = () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
  const [size, setSize] = useState(read);
  useEffect(() => {
    const onResize = () => setSize(read());
    stdout.on("resize", onResize);
    return () => void stdout.off("resize", onResize);
  }, [stdout]);
  return size;
}
