/** What came back: every function that asks a server gives it in this shape. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed JSON; undefined when there is no body or it is not JSON. */
  // Tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export interface RequestOptions {
  /** Sent as bearer token; none when absent or null. */
  readonly key?: string | null | undefined;
  /** An object is sent as JSON, a text as it stands; either with a JSON content type unless headers say otherwise. */
  readonly body?: unknown;
  /** Over those that `key` and `body` make. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * One request with exactly what the options say, and its answer; of a stream of events, which has no end, the first event. Rejects
 * when there is none, or when JSON is broken.
 */
export async function request(
  url: string,
  method = "GET",
  { key, body, headers }: RequestOptions = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(typeof key === "string" && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return toAnswer(response.status, response.headers, await textOf(response.headers, response.body ?? []));
}

/** A body to its end; a stream of events, which has none, to the end of its first event. */
export async function textOf(
  headers: Headers,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<string> {
  const isEndless = headers.get("content-type")?.startsWith("text/event-stream") === true;
  const decoder = new TextDecoder();
  let text = "";
  // Leaving the loop cancels the body: the connection ends, and the server's stream with it.
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    if (isEndless && text.includes("\n\n")) return text.slice(0, text.indexOf("\n\n") + 2);
  }
  return text + decoder.decode();
}

/** An answer as read off the wire. */
export function toAnswer(status: number, headers: Headers, text: string): Answer {
  const isJson = /^application\/(.+\+)?json\b/.test(headers.get("content-type") ?? "");
  return { status, headers, text, body: isJson && text !== "" ? JSON.parse(text) : undefined };
}

/** A request to one server with one key; `headers` go over those that belong to the key and the body. */
export type Ask = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;

export function askWith(baseUrl: string, key: string): Ask {
  return async (method, path, body, headers) => await request(`${baseUrl}${path}`, method, { key, body, headers });
}
