/**
 * The `data` of each event of a server-sent event stream, as it arrives; events without data are skipped. The caller
 * limits the size of the input. Source: HTML standard, 9.2.6 "Interpreting an event stream".
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

/** Lines end with LF, CR or CRLF; text after the last line end is not a line. */
async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  // Parts of an incomplete line: a long one is joined once, not with every chunk.
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
