import { Socket } from "node:net";
import { type buildConnector, type Dispatcher, errors } from "undici";

/**
 * Sockets that are still being connected. undici closes those of a closed dispatcher when they are connected or their time is
 * over: a host that says nothing would hold the process until then.
 */
export class ConnectingSockets {
  readonly #sockets = new Set<Socket>();

  /** A connector whose sockets belong to these until they are connected. */
  track(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) => {
      let socket: unknown;
      // Both connectors return their socket, which undici's types leave out.
      socket = connect(options, (...connected) => {
        if (socket instanceof Socket) this.#sockets.delete(socket);
        callback(...connected);
      });
      if (socket instanceof Socket) this.#sockets.add(socket);
    };
  }

  /** Ends the calls of these dispatchers, and what is still being connected for them. */
  async endWith(...dispatchers: readonly Pick<Dispatcher, "destroy">[]): Promise<void> {
    const ended = dispatchers.map((dispatcher) => dispatcher.destroy());
    for (const socket of this.#sockets) socket.destroy(new errors.ClientDestroyedError());
    this.#sockets.clear();
    await Promise.all(ended);
  }
}
