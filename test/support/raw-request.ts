import { connect } from "node:net";
import { type Answer, toAnswer } from "./request.ts";

/**
 * Sends exactly these bytes over a connection of its own and reads one answer: for requests that no HTTP client would send.
 * `\n` is sent as it stands. Rejects when the connection ends without an answer.
 */
export async function rawRequest(port: number, bytes: string): Promise<Answer> {
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

function parseAnswer(text: string): Answer | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) {
    return undefined;
  }
  const [statusLine = "", ...headerLines] = text.slice(0, end).split("\r\n");
  const headers = new Headers(
    headerLines.map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  const body = text.slice(end + 4);
  const length = Number(headers.get("content-length") ?? "0");
  if (body.length < length) {
    return undefined;
  }
  return toAnswer(Number(statusLine.split(" ")[1]), headers, Buffer.from(body, "latin1").toString("utf8"));
}
