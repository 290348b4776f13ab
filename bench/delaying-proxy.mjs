import { connect, createServer } from "node:net";

/** A TCP proxy that hands on each byte `delayMs` later, in each direction; resolves with its port. */
export async function startDelayingProxy(port, delayMs) {
  const sockets = new Set();
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on("data", (bytes) => setTimeout(() => to.writable && to.write(bytes), delayMs));
      from.on("end", () => setTimeout(() => to.end(), delayMs));
      from.on("error", () => to.destroy());
      from.on("close", () => sockets.delete(from));
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: server.address().port,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
