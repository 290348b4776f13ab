import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";

export interface FolderWatch extends AsyncDisposable {
  /** Resolves when the last `onChange` is over. */
  close(): Promise<void>;
}

export interface FolderWatchParts {
  readonly folders: readonly string[];
  /** Called some moments after something may have changed, never twice at once. Must not reject. */
  readonly onChange: () => Promise<void>;
}

/** An editor writes a file in several steps; it is read after they are done. */
const QUIET_MS = 150;
/** Network folders and some containers send no events: they are polled at this interval. */
const LOOK_EVERY_MS = 10_000;

/** Reports when something may have changed in folders. A folder may appear later. Does not keep the process alive. */
export function watchFolders({ folders, onChange }: FolderWatchParts): FolderWatch {
  let watchers: readonly FSWatcher[] = [];
  let waiting: NodeJS.Timeout | undefined;
  let changing: Promise<void> = Promise.resolve();
  let isClosed = false;

  function lookSoon(): void {
    clearTimeout(waiting);
    waiting = setTimeout(look, QUIET_MS).unref();
  }

  function look(): void {
    if (isClosed) return;
    // A folder that was removed and created again is a different one, for which the old watcher gets no events.
    rewatch();
    changing = changing.then(async () => {
      if (!isClosed) await onChange();
    });
  }

  function rewatch(): void {
    const before = watchers;
    const opened = folders.map((folder) => open(folder, lookSoon) ?? open(dirname(folder), lookSoon));
    watchers = opened.filter((watcher) => watcher !== undefined);
    for (const watcher of before) watcher.close();
  }

  rewatch();
  const interval = setInterval(look, LOOK_EVERY_MS).unref();
  return {
    async close() {
      isClosed = true;
      clearInterval(interval);
      clearTimeout(waiting);
      for (const watcher of watchers) watcher.close();
      await changing;
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}

function open(folder: string, onEvent: () => void): FSWatcher | undefined {
  try {
    // The next poll finds what a watcher misses.
    return watch(folder, { persistent: false }, onEvent).on("error", () => {});
  } catch {
    return undefined;
  }
}
