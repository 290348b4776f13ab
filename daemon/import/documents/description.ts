/** One description as read, and the documents beside it that its references may refer to. All of it is untrusted. */
export interface Description {
  /** The full path of the file, or the address; kept as `source.ref` of the manifest. */
  readonly ref: string;
  /** SHA-256 (hex) of its bytes, and of those of its siblings if it has some. */
  readonly sha256: string;
  /** Plain data: no cycles, no prototype keys, bounded in depth and nodes. */
  readonly value: unknown;
  /** Notes for a person on how it was read. */
  readonly notes?: readonly string[];
  /** Other files below its own folder, by their path relative to it with `/`, that references name. */
  readonly siblings: ReadonlyMap<string, unknown>;
  /** References that lead out of the folder or to an address, with the reason; they are never followed. */
  readonly refused: ReadonlyMap<string, string>;
}
