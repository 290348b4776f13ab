/** Something that becomes due. */
export interface Due {
  /** In the order of the heap; any unit. */
  readonly dueMs: number;
}

/** Any number of things by when they are due, the next one first: adding and taking take logarithmic time. */
export class DueHeap<Item extends Due> {
  #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  next(): Item | undefined {
    return this.#items[0];
  }

  add(item: Item): void {
    const items = this.#items;
    let place = items.push(item) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (this.#dueAt(parent) <= item.dueMs) break;
      this.#swap(place, parent);
      place = parent;
    }
  }

  /** Takes the next one out. */
  take(): Item | undefined {
    const [first] = this.#items;
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) {
      this.#items[0] = last;
      this.#sink();
    }
    return first;
  }

  /** Takes all out, in no order. */
  takeAll(): Item[] {
    const all = this.#items;
    this.#items = [];
    return all;
  }

  #sink(): void {
    for (let place = 0; ;) {
      const left = place * 2 + 1;
      const child = this.#dueAt(left + 1) < this.#dueAt(left) ? left + 1 : left;
      if (this.#dueAt(child) >= this.#dueAt(place)) return;
      this.#swap(place, child);
      place = child;
    }
  }

  #dueAt(place: number): number {
    return this.#items[place]?.dueMs ?? Infinity;
  }

  #swap(one: number, other: number): void {
    const items = this.#items;
    const [a, b] = [items[one], items[other]];
    if (a === undefined || b === undefined) return;
    [items[one], items[other]] = [b, a];
  }
}
