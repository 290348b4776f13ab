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

/** An editor writes a file in several steps; it is read once they are over. */
const QUIET_MS = 150;
/** Network folders and some containers tell nothing: they are looked at in these intervals. */
const LOOK_EVERY_MS = 10_000;

/**
 * Tells when something may have changed in folders; one that is not there yet is waited for. Keeps no process alive.
 */
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
    // A folder that was removed and made anew is another one, of which the old watcher hears nothing.
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
    // What a watcher cannot tell, the next look finds.
    return watch(folder, { persistent: false }, onEvent).on("error", () => {});
  } catch {
    return undefined;
  }
}
