import type { Files, OpenFile } from "../../daemon/storage/files.ts";

/** A disk that takes so many bytes and no more; what was there before it counts for nothing. */
export interface LimitedDisk {
  readonly files: Files;
  /** Bytes that are used now. */
  used(): number;
  /** Bytes that still fit; negative when the disk was made smaller than its content. */
  setFree(bytes: number): void;
  /** Bytes above which a file system says EDQUOT instead of ENOSPC, while the disk says that it has room. */
  setQuota(isQuota: boolean): void;
  /** How often a write found no room so far. */
  refused(): number;
  /** How often it was asked how much room there is. */
  looked(): number;
}

/** As a full disk does it: a write is cut short first, and the next one answers ENOSPC. */
export function limitedDisk(inner: Files, capacity = Number.MAX_SAFE_INTEGER): LimitedDisk {
  const sizes = new Map<string, number>();
  let limit = capacity;
  let isQuota = false;
  let refused = 0;
  let looked = 0;
  const used = () => [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const sizeOf = (path: string) => sizes.get(path) ?? 0;

  const wrap = (path: string, file: OpenFile): OpenFile => ({
    ...file,
    async write(bytes, position) {
      const free = limit - used();
      const grows = Math.max(0, position + bytes.length - sizeOf(path));
      const fits = bytes.length - Math.max(0, grows - Math.max(0, free));
      if (fits <= 0 && bytes.length > 0) {
        refused += 1;
        const code = isQuota ? "EDQUOT" : "ENOSPC";
        throw Object.assign(new Error(`${code}: ${path}`), { code });
      }
      const written = await file.write(bytes.subarray(0, fits), position);
      sizes.set(path, Math.max(sizeOf(path), position + written));
      return written;
    },
    async truncate(length) {
      await file.truncate(length);
      sizes.set(path, length);
    },
  });
  return {
    used,
    setFree: (bytes) => {
      limit = used() + bytes;
    },
    setQuota: (value) => {
      isQuota = value;
    },
    refused: () => refused,
    looked: () => looked,
    files: {
      ...inner,
      create: async (path) => wrap(path, await inner.create(path)),
      openForChange: async (path) => {
        const file = await inner.openForChange(path);
        sizes.set(path, (await inner.stat(path)).size);
        return wrap(path, file);
      },
      async rename(from, to) {
        await inner.rename(from, to);
        sizes.set(to, sizeOf(from));
        sizes.delete(from);
      },
      async unlink(path) {
        await inner.unlink(path);
        sizes.delete(path);
      },
      async freeBytes() {
        looked += 1;
        return isQuota ? Number.MAX_SAFE_INTEGER : Math.max(0, limit - used());
      },
    },
  };
}
