import { signal } from "@preact/signals";
import { ServiceError } from "../../shared/client/service-error.ts";
import { api } from "./api.ts";
import { readEvents } from "./server-events.ts";
import { session } from "./session.ts";

/** What happened, as the service tells it: `run`, `wallet`, `approval` …, and `reset` when some of it was missed. */
export interface LiveEvent {
  readonly kind: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export type LiveState = "off" | "connecting" | "live" | "waiting";

/** How the stream stands, for the mark that says whether the screen is up to date. */
export const liveState = signal<LiveState>("off");

const EVENTS = { operationId: "followEvents", method: "GET", path: "/v1/events" } as const;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** The service sends something every 15 seconds: a stream that is silent for longer is dead, though nothing says so. */
const LONGEST_SILENCE_MS = 40_000;

const listeners = new Set<(event: LiveEvent) => void>();

/** Calls back for each event until the returned function is called. */
export function onLive(listener: (event: LiveEvent) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Follows what happens for as long as the session lasts, from where it was cut off; one stream for the whole page. */
export function followLive(): () => void {
  const stop = new AbortController();
  void follow(stop.signal).finally(() => (liveState.value = "off"));
  return () => stop.abort();
}

async function follow(until: AbortSignal): Promise<void> {
  let position: string | undefined;
  let wait = FIRST_WAIT_MS;
  while (!until.aborted && session.value !== undefined) {
    liveState.value = "connecting";
    const connection = watchSilence(until);
    try {
      const headers = { accept: "text/event-stream", ...(position !== undefined && { "last-event-id": position }) };
      const { body } = await api().open(EVENTS, {}, { signal: connection.signal, headers });
      for await (const { event, id, data } of readEvents(connection.heard(body))) {
        // Only now: an answer without an event may be of something in between.
        liveState.value = "live";
        wait = FIRST_WAIT_MS;
        if (id !== undefined) position = id;
        tell(event, data);
      }
    } catch (error) {
      if (until.aborted) return;
      // There is no stream for this key, and there will be none: the screens are read when they are opened.
      if (error instanceof ServiceError && [401, 403, 404].includes(error.status)) return;
    } finally {
      connection.end();
    }
    liveState.value = "waiting";
    await pause(wait * (0.5 + Math.random()), until);
    wait = Math.min(LONGEST_WAIT_MS, wait * 2);
  }
}

interface WatchedConnection {
  /** Aborts when nothing was heard for too long, or the page does not follow any more. */
  readonly signal: AbortSignal;
  /** Passes on what comes, and takes note of it. */
  readonly heard: (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
  readonly end: () => void;
}

function watchSilence(until: AbortSignal): WatchedConnection {
  const connection = new AbortController();
  const stop = () => connection.abort();
  until.addEventListener("abort", stop);
  let timer = setTimeout(stop, LONGEST_SILENCE_MS);
  return {
    signal: connection.signal,
    async *heard(chunks) {
      for await (const chunk of chunks) {
        clearTimeout(timer);
        timer = setTimeout(stop, LONGEST_SILENCE_MS);
        yield chunk;
      }
    },
    end() {
      clearTimeout(timer);
      until.removeEventListener("abort", stop);
      connection.abort();
    },
  };
}

function tell(kind: string, text: string): void {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return;
  }
  if (typeof data !== "object" || data === null) return;
  for (const listener of listeners) listener({ kind, data: data as LiveEvent["data"] });
}

async function pause(ms: number, until: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      until.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    until.addEventListener("abort", end);
  });
}
