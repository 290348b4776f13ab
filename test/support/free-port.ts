import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Below the ports that systems hand out by themselves (from 32,768 on Linux, 49,152 elsewhere), and above the known ones. One of
 * those could be anybody's between this answer and its use: a connection's, or that of a test beside this one.
 */
const FIRST = 12_000;
const END = 32_000;

let next = randomInt(FIRST, END);

/** A port of 127.0.0.1 that nobody listens on, and that the system gives to nobody who asks for any. */
export async function freePort(): Promise<number> {
  for (;;) {
    next = next + 1 < END ? next + 1 : FIRST;
    if (await isFree(next)) return next;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
