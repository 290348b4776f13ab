/**
 * What was opened, to be closed in the reverse order of its opening; each part once, however often it is asked. One that fails
 * does not keep the others from being closed; the first failure is thrown at the end. `AsyncDisposableStack` of Node 24, as far
 * as a daemon needs it, but that it tells the first failure and not all of them in one another.
 */
export class OpenParts implements AsyncDisposable {
  readonly #parts: AsyncDisposable[] = [];

  /** Gives the part back. */
  use<Part extends AsyncDisposable>(part: Part): Part {
    this.#parts.push(part);
    return part;
  }

  /** What has to be done in its turn, and is no part of its own. */
  defer(close: () => Promise<void>): void {
    this.#parts.push({ [Symbol.asyncDispose]: close });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    let failure: { readonly error: unknown } | undefined;
    for (const part of this.#parts.splice(0).reverse()) {
      try {
        await part[Symbol.asyncDispose]();
      } catch (error) {
        failure ??= { error };
      }
    }
    if (failure !== undefined) throw failure.error;
  }
}
