/** How long the markets among a route's members may take to say a price, once another one may be tried before them. */
const PATIENCE_MS = 2_000;

/**
 * Limits what a run through a route waits for. The members stand in the order in which they would be tried; a price of one
 * behind the first that may be tried is not waited for longer than the patience. docs/routes.md, "Members at another market"
 */
export class QuotePatience {
  readonly #ends: readonly AbortController[];
  readonly #timer: NodeJS.Timeout;
  #first = Infinity;
  #isOver = false;

  constructor(members: number) {
    this.#ends = Array.from({ length: members }, () => new AbortController());
    this.#timer = setTimeout(() => {
      this.#isOver = true;
      this.#endBehindFirst();
    }, PATIENCE_MS);
  }

  /** Aborts when the price of the member at this place is not waited for any longer. */
  signalOf(place: number): AbortSignal | undefined {
    return this.#ends[place]?.signal;
  }

  /** The member at this place may be tried. */
  admitted(place: number): void {
    this.#first = Math.min(this.#first, place);
    this.#endBehindFirst();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #endBehindFirst(): void {
    if (!this.#isOver) return;
    for (const [place, end] of this.#ends.entries()) if (place > this.#first) end.abort();
  }
}
