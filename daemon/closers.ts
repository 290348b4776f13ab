/** What has to be closed, in the reverse order of its opening; each part once, however often it is asked. */
export class Closers {
  readonly #parts: Array<() => Promise<void>> = [];

  add(close: () => Promise<void>): void {
    this.#parts.push(close);
  }

  async close(): Promise<void> {
    for (const close of this.#parts.splice(0).reverse()) await close();
  }
}
