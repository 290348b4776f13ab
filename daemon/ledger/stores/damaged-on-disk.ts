/** What is asked for lies on the disk and is not what was written. `what` is told to the caller, the message to the log alone. */
export class DamagedOnDisk extends Error {
  override readonly name: string = "DamagedOnDisk";
  /** Names it as a sentence begins: `The record of run 01…`. */
  readonly what: string;

  constructor(message: string, what = "What this service stores about it", options: ErrorOptions = {}) {
    super(message, options);
    this.what = what;
  }
}
