/** `03-01 09:30` in UTC, as the service has it. */
export function shortTime(instant: string): string {
  return instant.slice(5, 16).replace("T", " ");
}
