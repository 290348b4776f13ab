/** Keeps the `limit` most recently used values. */
export class LruCache<Key, Value> {
  readonly #limit: number;
  readonly #values = new Map<Key, Value>();
  /** The one that was asked for last: asked for again, nothing has to move. */
  #newest: { readonly key: Key; readonly value: Value } | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  getOrMake(key: Key, make: () => Value): Value {
    if (this.#newest !== undefined && Object.is(this.#newest.key, key)) return this.#newest.value;
    const known = this.#values.get(key);
    const value = known ?? make();
    this.#values.delete(key);
    this.#values.set(key, value);
    this.#newest = { key, value };
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
