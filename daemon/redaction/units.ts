/** A text as its UTF-16 units, of which the first `length` count. */
export interface Units {
  readonly units: Uint16Array;
  readonly length: number;
}

/** For shorter ones a loop is faster than a copy. */
const SHORT_CHARACTERS = 64;

export function unitsOf(text: string, into: Uint16Array): Units {
  const { length } = text;
  if (length < SHORT_CHARACTERS) {
    for (let at = 0; at < length; at++) into[at] = text.charCodeAt(at);
  } else {
    Buffer.from(into.buffer, into.byteOffset, length * 2).write(text, "utf16le");
  }
  return { units: into, length };
}

/** Larger buffers are not kept. */
const MAX_KEPT_UNITS = 65_536;

/** Buffers for views, reused for the next text: most texts are short, and there are very many. */
export function createRooms(): { take: (index: number, length: number) => Uint16Array } {
  const kept: Uint16Array[] = [];
  return {
    take(index, length) {
      if (length > MAX_KEPT_UNITS) return new Uint16Array(Buffer.allocUnsafeSlow(length * 2).buffer);
      return (kept[index] ??= new Uint16Array(MAX_KEPT_UNITS));
    },
  };
}
