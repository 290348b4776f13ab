/** An error as `--json` prints it. docs/command-line.md, "Data and messages". */
export interface ToldError {
  /**
   * The status of the service's error; 0 when there was no answer, or the answer was no error, such as a failed run.
   */
  code: number;
  /** The service's machine code, where it gave one. docs/contract.md, "Error codes". */
  errorCode?: string | undefined;
  message: string;
  /** The run that the answer was, where something came of it that the exit code tells. */
  runId?: string | undefined;
  /** How that run stands. */
  status?: string | undefined;
  /** The command to type next. */
  next?: string | undefined;
}
