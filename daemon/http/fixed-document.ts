/** A document that is the same in every answer: its bytes are made once, and all who wait for it wait for the same ones. */
export class FixedDocument<Content = unknown> {
  readonly bytes: Buffer;

  /** `mediaType` with its parameters. A text is sent as it stands, all else as JSON. */
  constructor(
    readonly mediaType: string,
    content: Content,
  ) {
    this.bytes = Buffer.from(typeof content === "string" ? content : JSON.stringify(content));
  }

  get isJson(): boolean {
    return this.mediaType === "application/json";
  }

  /** As whoever reads it gets it. */
  read(): Content {
    const text = this.bytes.toString("utf8");
    return (this.isJson ? JSON.parse(text) : text) as Content;
  }
}
