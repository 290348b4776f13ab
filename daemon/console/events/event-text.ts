import { setTimeout as delay } from "node:timers/promises";
import type { LiveWallet } from "../../../shared/contract/events.ts";
import type { EventStream, PlacedEvent } from "./event-hub.ts";

export interface EventTextParts {
  readonly stream: EventStream;
  /** Hides how many lines a service has written. */
  readonly seal: (position: number) => string;
  readonly readWallet: () => Promise<LiveWallet>;
  /** Whether the reader's credentials still hold. */
  readonly isActive: () => Promise<boolean>;
  /** Aborts when the reader has gone. */
  readonly gone: AbortSignal;
  readonly heartbeatMs?: number;
}

/** So that a proxy does not take a quiet stream for a dead one. */
const HEARTBEAT_MS = 15_000;
const AT_ONCE = 100;

/** Server-sent events, as text. Ends when the stream does, or the credentials no longer hold. */
export async function* eventText(parts: EventTextParts): AsyncGenerator<string> {
  const { stream, seal, isActive, gone, heartbeatMs = HEARTBEAT_MS } = parts;
  const leave = () => stream.close();
  gone.addEventListener("abort", leave);
  try {
    yield textOf(stream.hasGap ? "reset" : "ready", {}, seal(stream.position));
    while (!stream.ended.aborted && !gone.aborted && (await isActive())) {
      const events = stream.take(AT_ONCE);
      if (events.length > 0) yield await textOfAll(events, parts);
      else if (!(await changesWithin(stream, heartbeatMs))) yield ":\n\n";
    }
  } finally {
    gone.removeEventListener("abort", leave);
    stream.close();
  }
}

/** A wallet is told once, as it is now, in place of the last of its events. */
async function textOfAll(events: readonly PlacedEvent[], { seal, readWallet }: EventTextParts): Promise<string> {
  const lastOfWallet = events.findLast(({ event }) => event.type === "wallet");
  const texts = events.map(async (placed) => {
    const { event, position } = placed;
    if (event.type !== "wallet") return textOf(event.type, event.data ?? {}, seal(position));
    return placed === lastOfWallet ? textOf("wallet", await readWallet(), seal(position)) : "";
  });
  return (await Promise.all(texts)).join("");
}

/** JSON has no line break, which would end the event. */
function textOf(type: string, data: object, id: string): string {
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

async function changesWithin(stream: EventStream, ms: number): Promise<boolean> {
  const over = new AbortController();
  try {
    const silence = delay(ms, false, { signal: over.signal, ref: false });
    return await Promise.race([stream.changed().then(() => true), silence]);
  } finally {
    over.abort();
  }
}
