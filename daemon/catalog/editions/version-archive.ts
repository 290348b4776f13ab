/** A provider's file as it was at an earlier time. */
export interface FileVersion {
  /** The path that it had: its folder decides whether it is trusted. */
  readonly file: string;
  readonly text: string;
}

/**
 * The provider files that open runs began under, in case the daemon ends before they do. docs/manifest.md, "Versions":
 * a run is continued, and charged, under the version that it began with.
 */
export interface VersionArchive {
  /** Resolves when durable. `hash`: SHA-256 (hex) of the file's bytes. */
  put(hash: string, version: FileVersion): Promise<void>;
  get(hash: string): Promise<FileVersion | undefined>;
  /** Removes all others. */
  retain(hashes: ReadonlySet<string>): Promise<void>;
}
