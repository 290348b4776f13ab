/** One description as read, and the documents beside it that its references may lead into. Nothing of it is trusted. */
export interface Description {
  /** The whole path of the file, or the address; kept as `source.ref` of the manifest. */
  readonly ref: string;
  /** SHA-256 (hex) of its bytes, and of those of its siblings where it has some. */
  readonly sha256: string;
  /** Plain data: no cycles, no prototype keys, bounded in depth and nodes. */
  readonly value: unknown;
  /** What a person should know of how it was read. */
  readonly notes?: readonly string[];
  /** Other files below its own folder, by their path relative to it with `/`, read because a reference names them. */
  readonly siblings: ReadonlyMap<string, unknown>;
  /** References that lead out of the folder or to an address: never followed; the reference and why. */
  readonly refused: ReadonlyMap<string, string>;
}
