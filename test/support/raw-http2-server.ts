import { createServer as createHttp1Server, type RequestListener } from "node:http";
import { type AddressInfo } from "node:net";
import { createServer, type TLSSocket } from "node:tls";

/** Frame types and flags of RFC 9113, 6. */
const DATA = 0x0;
const HEADERS = 0x1;
const RST_STREAM = 0x3;
const SETTINGS = 0x4;
const PING = 0x6;
const GOAWAY = 0x7;
const END_STREAM = 0x1;
const END_HEADERS = 0x4;
const ACK = 0x1;
const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/** Error codes of RFC 9113, 7. */
export const H2 = { noError: 0, internalError: 2, refusedStream: 7, cancel: 8, calm: 11, http11Required: 13 } as const;

/** A connection to the raw server, with what may be said on it. */
export interface RawConnection {
  /** 0 for the first. */
  readonly index: number;
  answer(stream: number, body: string, status?: number): void;
  /** Headers and a part of the body, without an end. */
  begin(stream: number, body: string): void;
  reset(stream: number, code: number): void;
  goAway(lastStream: number, code: number): void;
  ping(times: number): void;
  drop(): void;
}

export interface RawRequest extends RawConnection {
  readonly stream: number;
}

export interface RawHttp2Server extends AsyncDisposable {
  readonly url: string;
  readonly host: string;
  /** Whole requests that were read, each counted once. */
  readonly requests: () => number;
  readonly accepted: () => number;
  readonly open: () => number;
  readonly connections: readonly RawConnection[];
}

export interface RawServerFacts {
  readonly key: string;
  readonly cert: string;
  /** What to do with each whole request; the first is 0. */
  readonly onRequest: (request: RawRequest, index: number) => void;
  readonly onConnection?: (connection: RawConnection) => void;
  readonly maxConcurrentStreams?: number;
  readonly answersPings?: boolean;
  /** Whether a new connection speaks HTTP/1.1, whose requests this listener gets. */
  readonly http1?: { readonly isSpoken: () => boolean; readonly listener: RequestListener };
}

/** An HTTP/2 server that says frame by frame what a test wants, right or wrong. */
export async function startRawHttp2Server(facts: RawServerFacts): Promise<RawHttp2Server> {
  let requests = 0;
  const sockets = new Set<TLSSocket>();
  const connections: RawConnection[] = [];
  const http1 = createHttp1Server(facts.http1?.listener);
  const choose = ({ protocols }: { readonly protocols: readonly string[] }) =>
    facts.http1?.isSpoken() !== true && protocols.includes("h2") ? "h2" : "http/1.1";
  const server = createServer({ key: facts.key, cert: facts.cert, ALPNCallback: choose }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    if (socket.alpnProtocol !== "h2") return http1.emit("connection", socket);
    const connection = connectionOn(socket, connections.length);
    connections.push(connection);
    socket.write(frame(SETTINGS, 0, 0, settingsOf(facts.maxConcurrentStreams)));
    facts.onConnection?.(connection);
    readFrames(socket, ({ type, flags, stream, payload }) => {
      if (type === SETTINGS && (flags & ACK) === 0) socket.write(frame(SETTINGS, ACK, 0));
      if (type === PING && (flags & ACK) === 0 && facts.answersPings !== false) {
        socket.write(frame(PING, ACK, 0, payload));
      }
      if ((type !== HEADERS && type !== DATA) || (flags & END_STREAM) === 0) return;
      requests += 1;
      facts.onRequest({ ...connection, stream }, requests - 1);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    requests: () => requests,
    accepted: () => connections.length,
    open: () => sockets.size,
    connections,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function connectionOn(socket: TLSSocket, index: number): RawConnection {
  const write = (...frames: Buffer[]) => {
    if (!socket.destroyed) socket.write(Buffer.concat(frames));
  };
  return {
    index,
    answer(stream, body, status = 200) {
      write(head(stream, status), frame(DATA, END_STREAM, stream, Buffer.from(body)));
    },
    begin: (stream, body) => write(head(stream, 200), frame(DATA, 0, stream, Buffer.from(body))),
    reset: (stream, code) => write(frame(RST_STREAM, 0, stream, numbers(code))),
    goAway: (lastStream, code) => write(frame(GOAWAY, 0, 0, numbers(lastStream, code))),
    ping: (times) => write(...Array.from({ length: times }, () => frame(PING, 0, 0, Buffer.alloc(8)))),
    drop: () => void socket.destroy(),
  };
}

/** `:status` as HPACK writes it: 200 is in the static table, another one a literal with the name of entry 8. */
function head(stream: number, status: number): Buffer {
  const text = Buffer.from(String(status));
  const block = status === 200 ? Buffer.from([0x88]) : Buffer.concat([Buffer.from([0x08, text.length]), text]);
  return frame(HEADERS, END_HEADERS, stream, block);
}

function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const start = Buffer.alloc(9);
  start.writeUIntBE(payload.length, 0, 3);
  start.writeUInt8(type, 3);
  start.writeUInt8(flags, 4);
  start.writeUInt32BE(stream, 5);
  return Buffer.concat([start, payload]);
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4));
  return bytes;
}

function settingsOf(maxConcurrentStreams: number | undefined): Buffer {
  if (maxConcurrentStreams === undefined) return Buffer.alloc(0);
  return Buffer.concat([Buffer.from([0, 3]), numbers(maxConcurrentStreams)]);
}

interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

function readFrames(socket: TLSSocket, onFrame: (frame: Frame) => void): void {
  let unread = Buffer.alloc(0);
  let isGreeted = false;
  socket.on("data", (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    if (!isGreeted) {
      if (unread.length < PREFACE.length) return;
      isGreeted = true;
      unread = unread.subarray(PREFACE.length);
    }
    while (unread.length >= 9 && unread.length >= 9 + unread.readUIntBE(0, 3)) {
      const length = unread.readUIntBE(0, 3);
      const [type, flags, stream] = [unread.readUInt8(3), unread.readUInt8(4), unread.readUInt32BE(5)];
      const payload = unread.subarray(9, 9 + length);
      unread = unread.subarray(9 + length);
      onFrame({ type, flags, stream, payload });
    }
  });
}
