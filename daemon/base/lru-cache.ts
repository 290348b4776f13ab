/** Keeps the `limit` most recently used values. */
export class LruCache<Key, Value> {
  readonly #limit: number;
  readonly #values = new Map<Key, Value>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  getOrMake(key: Key, make: () => Value): Value {
    const known = this.#values.get(key);
    const value = known ?? make();
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size > this.#limit) {
      const [oldest] = this.#values.keys();
      if (oldest !== undefined) this.#values.delete(oldest);
    }
    return value;
  }

  get size(): number {
    return this.#values.size;
  }
}
