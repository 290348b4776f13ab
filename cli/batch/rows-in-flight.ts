/**
 * The rows of a batch that may hold money at the service. A row that is refused for want of money waits here until another
 * one has ended, since what that one held may be enough.
 */
export class RowsInFlight {
  #count = 0;
  #ended = 0;
  #failed = false;
  readonly #waiting = new Set<(mayTryAgain: boolean) => void>();

  /**
   * Does the work; while it is refused for want of money and other rows are in flight, again whenever one of them has ended.
   * Rejects as the work does, where no other row is left that could give anything back.
   */
  async run<Result>(work: () => Promise<Result>, isShortOfMoney: (error: unknown) => boolean): Promise<Result> {
    for (;;) {
      const endedBefore = this.#ended;
      this.#count += 1;
      try {
        const result = await work();
        this.#end();
        return result;
      } catch (error) {
        this.#count -= 1;
        const isWorthWaiting = isShortOfMoney(error) && (await this.#otherEnds(endedBefore));
        if (isWorthWaiting) continue;
        this.#failed = true;
        this.#wake(false);
        throw error;
      }
    }
  }

  #end(): void {
    this.#count -= 1;
    this.#ended += 1;
    this.#wake(true);
  }

  /** False when nothing is in flight, and nothing has ended since the refused request was sent. */
  async #otherEnds(endedBefore: number): Promise<boolean> {
    if (this.#failed) return false;
    if (this.#ended !== endedBefore) return true;
    if (this.#count === 0) return false;
    return await new Promise<boolean>((resolve) => void this.#waiting.add(resolve));
  }

  #wake(mayTryAgain: boolean): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve(mayTryAgain);
  }
}
