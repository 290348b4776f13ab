/** A document that is the same in every answer. Its bytes are made once and shared by all answers that send them. */
export class FixedDocument<Content = unknown> {
  readonly bytes: Buffer;

  /** `mediaType` with its parameters. A string is sent unchanged, anything else as JSON. */
  constructor(
    readonly mediaType: string,
    content: Content,
  ) {
    this.bytes = Buffer.from(typeof content === "string" ? content : JSON.stringify(content));
  }

  get isJson(): boolean {
    return this.mediaType === "application/json";
  }

  /** The content as a client reads it. */
  read(): Content {
    const text = this.bytes.toString("utf8");
    return (this.isJson ? JSON.parse(text) : text) as Content;
  }
}
