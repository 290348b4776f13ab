/** One HTTP request for a transport. */
export interface TransportRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

/** An answer with a streamed body; reading it throws when the connection is cut. */
export interface TransportAnswer {
  status: number;
  /** Names in lower case; repeated headers joined with a comma. */
  headers: Record<string, string>;
  body: AsyncIterable<Uint8Array>;
}

/**
 * Sends a request and resolves with the head of its answer. Rejects when there is none, or when the signal aborts.
 * Redirects are answers and never followed: the key would be sent to another host.
 */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>;

/** An answer's headers in the client's form. */
export function readHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const read: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) read[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return read;
}

/** The message when the connection ended before the body did. */
export const CUT_SHORT = "the connection was closed before the answer was complete";
