/**
 * A request that atlas refuses. The server answers `status` with `{error: {message, suggestions?}}`; the message says
 * what was wrong and what to send instead.
 */
export class AtlasError extends Error {
  readonly status: number;
  readonly suggestions: readonly string[];

  constructor(status: number, message: string, suggestions: readonly string[] = []) {
    super(suggestions.length === 0 ? message : `${message} Did you mean ${suggestions.join(", ")}?`);
    this.name = "AtlasError";
    this.status = status;
    this.suggestions = suggestions;
  }
}
