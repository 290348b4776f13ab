/**
 * Text from elsewhere as one line that cannot steer a terminal: line breaks and tabs become spaces; control, format
 * and lone surrogate characters go. Text of right-to-left scripts stays, its invisible direction marks do not.
 */
export function toPrintable(text: string): string {
  return text.replace(/[\t\n\r\v\f\u2028\u2029]+/g, " ").replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "");
}
