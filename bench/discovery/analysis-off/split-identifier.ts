/** In place of the daemon's: identifiers stay as they are written. */
export function splitIdentifier(written: string, fold: (piece: string) => string): string[] {
  return [fold(written)];
}
