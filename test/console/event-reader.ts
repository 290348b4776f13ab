/** An event as a browser reads it. */
export interface ReadEvent {
  readonly id: string;
  readonly type: string;
  // Tests look into data of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
}

export interface EventReader extends AsyncDisposable {
  readonly status: number;
  readonly headers: Headers;
  /** The body, where it is no stream. */
  readonly text: string;
  /** All that came so far. */
  readonly events: readonly ReadEvent[];
  /** Comments that came so far. */
  readonly heartbeats: () => number;
  /** Resolves with the first event, of those that came or will come, that fits. Rejects when the stream ends before. */
  until(fits: (event: ReadEvent) => boolean): Promise<ReadEvent>;
  /** Resolves when the stream has ended. */
  readonly ended: Promise<void>;
  close(): void;
}

/** Reads the stream of events with `fetch`, as the console does. */
export async function readEvents(url: string, key: string, after?: string): Promise<EventReader> {
  const controller = new AbortController();
  const response = await fetch(`${url}/v1/events`, {
    headers: { authorization: `Bearer ${key}`, ...(after !== undefined && { "last-event-id": after }) },
    signal: controller.signal,
  });
  const events: ReadEvent[] = [];
  let [heartbeats, isOver] = [0, false];
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const one of waiting) one();
  };
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const text = isStream ? "" : await response.text();
  const ended = (async () => {
    let rest = "";
    try {
      const chunks = isStream ? response.body?.pipeThrough(new TextDecoderStream()) : undefined;
      for await (const chunk of (chunks ?? []) as AsyncIterable<string>) {
        const parts = `${rest}${chunk}`.split("\n\n");
        rest = parts.pop() ?? "";
        for (const part of parts) {
          if (part.startsWith(":")) heartbeats += 1;
          else events.push(toEvent(part));
        }
        wake();
      }
    } catch {
      // Cut off: it has ended too.
    }
    isOver = true;
    wake();
  })();
  return {
    status: response.status,
    headers: response.headers,
    text,
    events,
    heartbeats: () => heartbeats,
    ended,
    async until(fits) {
      for (;;) {
        const found = events.find(fits);
        if (found !== undefined) return found;
        if (isOver) throw new Error(`the stream ended with ${JSON.stringify(events)}`);
        await new Promise<void>((resolve) => {
          const done = () => {
            waiting.delete(done);
            resolve();
          };
          waiting.add(done);
        });
      }
    },
    close: () => controller.abort(),
    async [Symbol.asyncDispose]() {
      controller.abort();
      await ended;
    },
  };
}

function toEvent(part: string): ReadEvent {
  const field = (name: string) =>
    part
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2) ?? "";
  return { id: field("id"), type: field("event"), data: JSON.parse(field("data")) };
}
