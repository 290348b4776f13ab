import { randomFillSync } from "node:crypto";
import { ulid } from "ulid";

const POOL_BYTES = 4_096;
const RANGE = 2 ** 32;

/**
 * Makes ULIDs whose random part is fresh for each id: neighbours in time are not neighbours in value (docs/security.md, T25).
 * Random bytes come out of a pool, because one system call an id costs more than the id.
 */
export function createIdSource(): () => string {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  const random = () => {
    if (used + 4 > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    const value = pool.readUInt32LE(used) / RANGE;
    used += 4;
    return value;
  };
  return () => ulid(undefined, random);
}
