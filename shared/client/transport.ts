/** One HTTP request, as the client needs it sent. */
export interface TransportRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

export interface TransportAnswer {
  status: number;
  /** Names in lower case; repeated headers joined with a comma. */
  headers: Record<string, string>;
  body: string;
}

/** Sends a request and reads the whole answer. Rejects when there is none, or when the signal aborts. */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>;

/** An answer whose body is read as it comes; reading it throws when the connection is cut. */
export interface StreamedAnswer {
  status: number;
  /** Names in lower case; repeated headers joined with a comma. */
  headers: Record<string, string>;
  body: AsyncIterable<Uint8Array>;
}

/** Sends a request and resolves with the head of its answer. Rejects when there is none, or when the signal aborts. */
export type StreamTransport = (request: TransportRequest) => Promise<StreamedAnswer>;
