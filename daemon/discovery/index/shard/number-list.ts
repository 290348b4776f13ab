/** Numbers from 0 to 2³² − 1 in order, four bytes each; grows as it is filled. */
export class NumberList {
  length = 0;
  #numbers: Uint32Array;

  constructor(capacity = 1_024) {
    this.#numbers = new Uint32Array(capacity);
  }

  push(number: number): void {
    if (this.length === this.#numbers.length) {
      const longer = new Uint32Array(this.length * 2);
      longer.set(this.#numbers);
      this.#numbers = longer;
    }
    this.#numbers[this.length] = number;
    this.length += 1;
  }

  /** A view of the numbers; valid until the next push. */
  view(): Uint32Array {
    return this.#numbers.subarray(0, this.length);
  }
}
