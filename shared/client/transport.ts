/** One HTTP request, as the client needs it sent. */
export interface TransportRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

/** An answer whose body is read as it comes; reading it throws when the connection is cut. */
export interface TransportAnswer {
  status: number;
  /** Names in lower case; repeated headers joined with a comma. */
  headers: Record<string, string>;
  body: AsyncIterable<Uint8Array>;
}

/**
 * Sends a request and resolves with the head of its answer. Rejects when there is none, or when the signal aborts.
 * Redirects are answers, never followed: the key would go where it was not meant to.
 */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>;

/** An answer's headers as the client has them. */
export function readHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const read: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) read[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return read;
}

/** Why reading a body throws, where the connection ended before it did. */
export const CUT_SHORT = "the connection was closed before the answer was complete";
