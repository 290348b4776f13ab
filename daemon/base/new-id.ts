import { randomFillSync } from "node:crypto";
import { encodeTime } from "ulid";

const POOL_BYTES = 4_096;
const TIME_LETTERS = 10;
const RANDOM_LETTERS = 16;
/** Crockford's base 32, as ULIDs are written. https://github.com/ulid/spec */
const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/**
 * Makes ULIDs whose random part is fresh for each id: neighbours in time are not neighbours in value (docs/security.md, T25).
 * Random bytes come out of a pool, because one system call an id costs more than the id; each gives the five bits of one letter.
 */
export function createIdSource(): () => string {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  let timeMs = -1;
  let time = "";
  return () => {
    const nowMs = Date.now();
    if (nowMs !== timeMs) {
      timeMs = nowMs;
      time = encodeTime(nowMs, TIME_LETTERS);
    }
    if (used + RANDOM_LETTERS > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    let id = time;
    for (const end = used + RANDOM_LETTERS; used < end; used += 1) id += LETTERS[(pool[used] ?? 0) & 31];
    return id;
  };
}
