/** One event of a `text/event-stream`. */
export interface ServerEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** Reads a stream of events, https://html.spec.whatwg.org/multipage/server-sent-events.html; comments only keep it alive. */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  let fields: { event: string; id: string | undefined; data: string[] } = { event: "message", id: undefined, data: [] };
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        if (fields.data.length > 0) yield { event: fields.event, id: fields.id, data: fields.data.join("\n") };
        fields = { event: "message", id: undefined, data: [] };
        continue;
      }
      const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (name === "event") fields.event = value;
      if (name === "id") fields.id = value;
      if (name === "data") fields.data.push(value);
    }
  }
}
