/** What `--json` prints. */
export interface OpenedConsole {
  /** Opens one session, once, within a minute. */
  readonly address: string;
  /** ISO 8601. */
  readonly expiresAt: string;
  /** Whether a browser was started with it. */
  readonly opened: boolean;
}
