/** One operation cannot become an endpoint; the message says why, in words that follow "skipped:". */
export class CannotConvert extends Error {
  override readonly name = "CannotConvert";
}
