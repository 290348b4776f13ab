/**
 * What was opened, to be closed in the reverse order of its opening; each part once, however often it is asked. One that fails
 * does not keep the others from being closed; the first failure is thrown at the end. What is opened late, while or after the
 * others are closed, is closed too: nobody else would. `AsyncDisposableStack` of Node 24, as far as a daemon needs it, but that
 * it tells the first failure and not all of them in one another.
 */
export class OpenParts implements AsyncDisposable {
  readonly #parts: AsyncDisposable[] = [];
  #closing: Promise<void> | undefined;
  #isClosed = false;

  /** Gives the part back. */
  use<Part extends AsyncDisposable>(part: Part): Part {
    this.#take(part);
    return part;
  }

  /** What has to be done in its turn, and is no part of its own. */
  defer(close: () => Promise<void>): void {
    this.#take({ [Symbol.asyncDispose]: close });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    let failure: { readonly error: unknown } | undefined;
    for (let part = this.#parts.pop(); part !== undefined; part = this.#parts.pop()) {
      try {
        await part[Symbol.asyncDispose]();
      } catch (error) {
        failure ??= { error };
      }
    }
    this.#isClosed = true;
    if (failure !== undefined) throw failure.error;
  }

  /** Of one that comes after the end, nobody is left to be told that it would not close. */
  #take(part: AsyncDisposable): void {
    if (this.#isClosed) part[Symbol.asyncDispose]().then(undefined, () => undefined);
    else this.#parts.push(part);
  }
}
