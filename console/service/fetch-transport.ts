import { CUT_SHORT, type Transport } from "../../shared/client/transport.ts";

/** Requests of the page: no cookies, no cache, no redirects, since the key is for this service alone. */
export const fetchTransport: Transport = async ({ method, url, headers, body, signal }) => {
  const answer = await fetch(url, {
    method,
    headers,
    credentials: "omit",
    cache: "no-store",
    redirect: "error",
    referrerPolicy: "no-referrer",
    ...(body !== undefined && { body }),
    ...(signal !== undefined && { signal }),
  });
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: chunksOf(answer.body, signal) };
};

async function* chunksOf(
  body: ReadableStream<Uint8Array> | null,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw signal?.aborted ? error : new Error(CUT_SHORT, { cause: error });
  } finally {
    void reader.cancel().catch(() => {});
  }
}
