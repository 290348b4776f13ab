/** Hashes of a key and of the request that it came with: what is kept beside the thing that the request made. */
export interface RequestStamp {
  readonly key: string;
  readonly request: string;
  /** A run that was asked for with the same key and made nothing. */
  readonly retryOf?: string;
}
