/**
 * What has to be closed, in the reverse order of its opening; each part once, however often it is asked. One that fails
 * does not keep the others from being closed; the first failure is thrown at the end.
 */
export class Closers {
  readonly #parts: Array<() => Promise<void>> = [];

  add(close: () => Promise<void>): void {
    this.#parts.push(close);
  }

  async close(): Promise<void> {
    let failure: { readonly error: unknown } | undefined;
    for (const close of this.#parts.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        failure ??= { error };
      }
    }
    if (failure !== undefined) throw failure.error;
  }
}
