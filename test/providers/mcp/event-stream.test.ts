import fc from "fast-check";
import { expect, test } from "vitest";
import { readEvents } from "../../../daemon/providers/mcp/event-stream.ts";

async function eventsIn(chunks: readonly Buffer[]): Promise<string[]> {
  const events: string[] = [];
  async function* source() {
    yield* chunks;
  }
  for await (const data of readEvents(source())) events.push(data);
  return events;
}

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}

test("data of several lines is one event; comments, other fields and events without data are passed over", async () => {
  const text = ": hi\nevent: message\nid: 7\ndata: a\ndata:b\ndata:  c\n\nretry: 5\n\ndata\n\ndata: not ended";

  expect(await eventsIn([Buffer.from(text)])).toEqual(["a\nb\n c", ""]);
});

test("events are the same wherever the stream is cut, and however its lines end", async () => {
  const line = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll(/[\r\n]/g, ""));
  const events = fc.array(fc.array(line, { minLength: 1, maxLength: 3 }), { maxLength: 5 });
  const ends = fc.constantFrom("\n", "\r", "\r\n");
  await fc.assert(
    fc.asyncProperty(events, ends, fc.array(fc.nat(), { maxLength: 12 }), async (all, end, places) => {
      const text = all.map((lines) => `${lines.map((one) => `data: ${one}${end}`).join("")}${end}`).join("");

      expect(await eventsIn(cut(Buffer.from(text), places))).toEqual(all.map((lines) => lines.join("\n")));
    }),
  );
});
