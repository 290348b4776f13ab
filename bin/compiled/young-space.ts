import { setFlagsFromString } from "node:v8";

/** V8's own value: its space for new objects doubles when much in it survives. */
const usual = "--semi-space-growth-factor=2";
const staying = "--semi-space-growth-factor=1";

/**
 * Until the function that is returned is called, V8's space for new objects does not grow. While a daemon starts nearly
 * everything survives, so the space would grow to its limit, and it never shrinks again while the daemon is idle. Where V8
 * does not know the flag, nothing happens.
 */
export function holdYoungSpace(): () => void {
  setFlagsFromString(staying);
  return () => setFlagsFromString(usual);
}
