/** An answer that is streamed: however long it is, only one piece is in memory at a time. */
export class TextStream {
  /** `mediaType` with its parameters; the next piece is asked for when the one before has gone out. */
  constructor(
    readonly mediaType: string,
    readonly pieces: AsyncIterable<string>,
    /** Cuts the answer off when it aborts, even while its reader takes nothing. */
    readonly cut?: AbortSignal,
  ) {}
}
