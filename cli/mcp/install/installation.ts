/** What `mkt mcp install` prints. */
export interface Installation {
  readonly client: string;
  readonly file: string;
  /** What the server is called there. */
  readonly server: string;
  readonly change: "created" | "changed" | "none";
  /** False with `--dry-run`, and when there was nothing to change. */
  readonly written: boolean;
  /** The file as it was. */
  readonly backup?: string;
  /** What makes the client read it. */
  readonly next: string;
}

/** One line of `mkt mcp install --list`. */
export interface KnownClient {
  readonly client: string;
  readonly name: string;
  readonly file: string;
  /** `absent`: the client seems not to be used here; `unreadable`: the file is not what it should be. */
  readonly state: "installed" | "not installed" | "absent" | "unreadable";
}
