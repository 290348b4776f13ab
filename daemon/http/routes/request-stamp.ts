/** Hashes of a key and of its request, stored with what the request made. */
export interface RequestStamp {
  readonly key: string;
  readonly request: string;
  /** An earlier run with the same key that never reached its provider. */
  readonly retryOf?: string;
}
