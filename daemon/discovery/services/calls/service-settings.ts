/** A service that discovery may call, as the operator set it. */
export interface ServiceSettings {
  /** Embeddings: the base that `/embeddings` is added to. Rerank: the whole address. */
  readonly url: string;
  readonly model: string;
  /** A secret: sent as a bearer token, never logged and never shown. */
  readonly key?: string;
}

/** The discovery services that are set in the environment; each may be absent. */
export interface SearchServiceSettings {
  readonly embeddings?: ServiceSettings;
  readonly rerank?: ServiceSettings;
  /** A language model that writes rephrasings. `waitMs`: how long a query waits for them. */
  readonly rephrase?: ServiceSettings & { readonly waitMs: number };
  /** The time in milliseconds that one query waits for embeddings and rerank together. */
  readonly waitMs: number;
}
