/** What an identity provider publishes is smaller by far. */
const MAX_BYTES = 524_288;

/** The text of a public document of the identity provider; rejects for any status but 200, a redirect too, and when it is too large. */
export async function readProviderDocument(address: string, options: RequestInit): Promise<string> {
  const { status, body } = await fetch(address, { ...options, redirect: "manual" });
  if (status !== 200 || body === null) {
    await body?.cancel();
    throw new Error(`status ${status}`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>) {
    size += chunk.length;
    // Leaving the loop cancels the rest of the transfer.
    if (size > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
