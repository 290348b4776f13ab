const HEAD_BYTES = 4;

/** A message with its length in front, so that the receiver knows where it ends. */
export function toFrame(message: Uint8Array): Uint8Array[] {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(message.byteLength);
  return [head, message];
}

/** Reassembles messages from the chunks in which they arrive. */
export class FrameReader {
  readonly #largest: number;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  /** `largest`: the maximum size of one message, in bytes. */
  constructor(largest: number) {
    this.#largest = largest;
  }

  /** The messages that this chunk completes. Throws RangeError as soon as one announces that it is too large. */
  take(piece: Uint8Array): Uint8Array[] {
    this.#pieces.push(piece);
    this.#bytes += piece.byteLength;
    const messages: Uint8Array[] = [];
    for (let wanted = this.#wanted(); wanted !== undefined && this.#bytes >= wanted; wanted = this.#wanted()) {
      const all = this.#joined();
      messages.push(all.subarray(HEAD_BYTES, wanted));
      this.#pieces = [all.subarray(wanted)];
      this.#bytes = all.byteLength - wanted;
    }
    return messages;
  }

  /** The size in bytes of the next message with its header; undefined before the header is complete. */
  #wanted(): number | undefined {
    if (this.#bytes < HEAD_BYTES) return undefined;
    const [first] = this.#pieces;
    const head = first !== undefined && first.byteLength >= HEAD_BYTES ? first : this.#joined();
    const length = new DataView(head.buffer, head.byteOffset).getUint32(0, true);
    if (length > this.#largest) throw new RangeError(`a message of ${length} bytes`);
    return HEAD_BYTES + length;
  }

  #joined(): Uint8Array {
    const all =
      this.#pieces.length === 1 && this.#pieces[0] !== undefined ? this.#pieces[0] : Buffer.concat(this.#pieces);
    this.#pieces = [all];
    return all;
  }
}
