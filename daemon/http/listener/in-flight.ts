/** Counts operations in progress, so that closing can wait for them. */
export class InFlight {
  #count = 0;
  readonly #waiting = new Set<() => void>();

  /** Returns a function that marks the operation as finished; calling it again does nothing. */
  begin(): () => void {
    let over = false;
    this.#count += 1;
    return () => {
      if (over) {
        return;
      }
      over = true;
      this.#count -= 1;
      if (this.#count === 0) {
        for (const resolve of this.#waiting) {
          resolve();
        }
        this.#waiting.clear();
      }
    };
  }

  /** Resolves true when nothing is in progress, false when that takes longer than `timeoutMs`. */
  async idle(timeoutMs: number): Promise<boolean> {
    if (this.#count === 0) {
      return true;
    }
    return await new Promise((resolve) => {
      const onIdle = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(onIdle);
        resolve(false);
      }, timeoutMs);
      this.#waiting.add(onIdle);
    });
  }
}
