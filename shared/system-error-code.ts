/** The code of an error that the operating system or Node gave, for example `ENOENT`; undefined for anything else thrown. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
