import { connect } from "node:net";

export interface RawAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly json: unknown;
}

/**
 * Sends exactly these bytes over a connection of its own and reads one answer: for requests that no HTTP client would send.
 * `\n` is sent as it stands. Rejects when the connection ends without an answer.
 */
export async function rawRequest(port: number, bytes: string): Promise<RawAnswer> {
  return await new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => {
      text += chunk;
      const answer = parseAnswer(text);
      if (answer !== undefined) {
        resolve(answer);
        socket.destroy();
      }
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error(`no answer, but: ${JSON.stringify(text)}`)));
    socket.write(bytes, "latin1");
  });
}

/** The bytes of a request out of its head's lines. */
export function rawHead(...lines: string[]): string {
  return `${lines.join("\r\n")}\r\n\r\n`;
}

function parseAnswer(text: string): RawAnswer | undefined {
  const end = text.indexOf("\r\n\r\n");
  const [statusLine = "", ...headerLines] = text.slice(0, end).split("\r\n");
  const headers = Object.fromEntries(
    headerLines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const body = text.slice(end + 4);
  const length = Number(headers["content-length"] ?? "0");
  if (end === -1 || body.length < length) {
    return undefined;
  }
  return {
    status: Number(statusLine.split(" ")[1]),
    headers,
    body,
    json: body === "" ? undefined : JSON.parse(Buffer.from(body, "latin1").toString("utf8")),
  };
}
