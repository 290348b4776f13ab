/** A service that discovery may ask, as the operator set it. */
export interface ServiceSettings {
  /** Embeddings: the base that `/embeddings` is added to. Rerank: the whole address. */
  readonly url: string;
  readonly model: string;
  /** A secret: sent as a bearer token, never logged and never shown. */
  readonly key?: string;
}

/** What the environment says of the services of discovery; each may be absent. */
export interface SearchServiceSettings {
  readonly embeddings?: ServiceSettings;
  readonly rerank?: ServiceSettings;
  /** Milliseconds that one question waits for all of them together. */
  readonly waitMs: number;
}
