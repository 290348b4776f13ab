/** Hashes of a key and of the request that it came with: what is kept beside the thing that the request made. */
export interface RequestStamp {
  readonly key: string;
  readonly request: string;
}
