/** A document that people edit is not JSON, does not fit its schema, or is too large. */
export class DocumentInvalid extends Error {
  override readonly name = "DocumentInvalid";
  readonly path: string;
  readonly why: string;

  constructor(path: string, why: string, advice?: string) {
    super(`${path} is not valid: ${why}.${advice === undefined ? "" : ` ${advice}`}`);
    this.path = path;
    this.why = why;
  }
}
