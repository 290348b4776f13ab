/** A document that is on no disk. */
export function memoryDocument<Data>(start: Data): {
  readonly data: Data;
  update(change: (data: Data) => void): Promise<void>;
} {
  let data = start;
  return {
    get data() {
      return data;
    },
    async update(change) {
      const draft = structuredClone(data);
      change(draft);
      data = draft;
    },
  };
}
