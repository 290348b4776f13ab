/**
 * The `data` of each event of a server-sent event stream, as it comes; events without data are passed over. How much may
 * come is the caller's limit: what is fed here is bounded. Source: HTML standard, 9.2.6 "Interpreting an event stream".
 */
export async function* readEvents(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const line of readLines(chunks)) {
    if (line === "") {
      if (data.length > 0) yield data.join("\n");
      data = [];
      continue;
    }
    const [, name, value = ""] = /^([^:]*)(?:: ?([^]*))?$/.exec(line) ?? [];
    if (name === "data") data.push(value);
  }
}

/** Lines end with LF, CR or CRLF; what follows the last end of a line is no line. */
async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  // Pieces of a line that has not ended yet: a long one is joined once, not with every chunk.
  let pieces: string[] = [];
  let endsWithCr = false;
  for await (const chunk of chunks) {
    let text = decoder.decode(chunk, { stream: true });
    if (text === "") continue;
    if (endsWithCr && text.startsWith("\n")) text = text.slice(1);
    endsWithCr = text.endsWith("\r");
    const [first = "", ...others] = text.split(/\r\n|\r|\n/);
    pieces.push(first);
    for (const next of others) {
      yield pieces.join("");
      pieces = [next];
    }
  }
}
