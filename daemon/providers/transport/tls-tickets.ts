/** How long a ticket is used: what a certificate proved is asked for again after this. */
const LIFE_MS = 3_600_000;
/** A server usually gives two for each connection, each for one use. */
const MAX_TICKETS = 4;
const MAX_SERVERS = 32;

interface Ticket {
  readonly session: Buffer;
  readonly until: number;
}

/**
 * Tickets with which TLS resumes a session instead of proving the certificate again. One provider's tickets are never
 * used for another, nor for another host or port: a ticket stands for the proof that was made there.
 */
export class TlsTickets {
  readonly #byServer = new Map<string, Ticket[]>();
  readonly #nowMs: () => number;

  constructor(nowMs = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** The newest ticket; it is used up unless it is the last one (RFC 8446, C.4). `server`: host and port. */
  take(server: string): Buffer | undefined {
    const valid = (this.#byServer.get(server) ?? []).filter(({ until }) => until > this.#nowMs());
    const newest = valid.length > 1 ? valid.pop() : valid[0];
    if (valid.length === 0) this.#byServer.delete(server);
    else this.#byServer.set(server, valid);
    return newest?.session;
  }

  forget(server: string): void {
    this.#byServer.delete(server);
  }

  keep(server: string, session: Buffer): void {
    const tickets = this.#byServer.get(server) ?? [];
    tickets.push({ session, until: this.#nowMs() + LIFE_MS });
    if (tickets.length > MAX_TICKETS) tickets.shift();
    // The server that was used last stands last.
    this.#byServer.delete(server);
    this.#byServer.set(server, tickets);
    const [oldest] = this.#byServer.keys();
    if (this.#byServer.size > MAX_SERVERS && oldest !== undefined) this.#byServer.delete(oldest);
  }
}
