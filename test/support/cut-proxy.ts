import { createConnection, createServer, type Socket } from "node:net";

/** Where a connection is cut: before the server gets a message, or after it has answered and before the client hears it. */
export type Cut = "before" | "after";

export interface CutProxy extends AsyncDisposable {
  readonly port: number;
  /**
   * Cuts the connection of the next message that has this text, once; `after` it when an answer comes that has the text
   * `answered`. Resolves when it was cut.
   */
  cutAt(text: string, where: Cut, answered?: string): Promise<void>;
  /** Refuses new connections and cuts the present ones, until it is called with false. */
  setAway(isAway: boolean): void;
  /** From now on it answers nothing and closes nothing, as a host that lost its network. */
  goSilent(): void;
  /** Connections that were made so far. */
  readonly made: number;
}

interface Wanted {
  readonly text: string;
  readonly where: Cut;
  readonly answered: string;
  readonly done: () => void;
}

/** Passes TCP connections on to a port of this machine. */
export async function startCutProxy(target: number): Promise<CutProxy> {
  const open = new Set<Socket>();
  let wanted: Wanted | undefined;
  let isAway = false;
  let isSilent = false;
  let made = 0;
  const server = createServer((client) => {
    if (isAway) return void client.destroy();
    made += 1;
    const behind = createConnection(target, "127.0.0.1");
    const cut = () => {
      client.destroy();
      behind.destroy();
    };
    let cutsAnswer: Wanted | undefined;
    for (const socket of [client, behind]) {
      open.add(socket);
      if (isSilent) socket.pause();
      socket.on("error", cut);
      socket.on("close", () => {
        open.delete(socket);
        cut();
      });
    }
    client.on("data", (bytes) => {
      const found = wanted;
      if (found === undefined || !bytes.includes(found.text)) return void behind.write(bytes);
      wanted = undefined;
      if (found.where === "before") {
        cut();
        found.done();
        return;
      }
      cutsAnswer = found;
      behind.write(bytes);
    });
    behind.on("data", (bytes) => {
      if (cutsAnswer === undefined || !bytes.includes(cutsAnswer.answered)) return void client.write(bytes);
      cut();
      cutsAnswer.done();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    get made() {
      return made;
    },
    cutAt: (text, where, answered = "") =>
      new Promise((resolve) => (wanted = { text, where, answered, done: resolve })),
    setAway(away) {
      isAway = away;
      if (away) for (const socket of open) socket.destroy();
    },
    goSilent() {
      isSilent = true;
      for (const socket of open) socket.pause();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
