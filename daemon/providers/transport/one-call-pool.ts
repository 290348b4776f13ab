import type { Socket } from "node:net";
import { type buildConnector, errors, Pool } from "undici";

/** A pool to one server whose connections carry one call each. */
export function oneCallPool(origin: string, connect: buildConnector.connector): Pool {
  const connectQuietly: buildConnector.connector = (options, callback) =>
    connect(options, (...connected) => {
      // undici's own connectors call back with the error alone.
      const [error, socket] = connected;
      if (error === null && socket !== null) endQuietly(socket);
      callback(...connected);
    });
  return new Pool(origin, { connect: connectQuietly, pipelining: 0 });
}

/**
 * undici ends the connection of a finished call with an error, and Node writes out the stack of each error that a stream ends
 * with: three hundredths of the processor time of such a run. Bodies are texts or bytes; one that is a stream would wait for the
 * error.
 */
function endQuietly(socket: Socket): void {
  const { destroy } = socket;
  socket.destroy = (error) => destroy.call(socket, isFinished(error) ? undefined : error);
}

function isFinished(error: Error | undefined): boolean {
  return error instanceof errors.InformationalError && error.message === "reset";
}
