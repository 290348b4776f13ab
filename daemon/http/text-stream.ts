/** An answer that is written while it is read: as long as it may be, in the memory of one piece. */
export class TextStream {
  /** `mediaType` with its parameters; the next piece is asked for when the one before has gone out. */
  constructor(
    readonly mediaType: string,
    readonly pieces: AsyncIterable<string>,
  ) {}
}
