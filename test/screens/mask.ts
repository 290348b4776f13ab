/**
 * What no two runs of a test have alike, replaced by as many characters, so that columns stay where they are: ids, days and
 * times, ports, versions of Node and paths below the test's own folder.
 */
export function maskFrame(text: string): string {
  return text
    .replace(/\b01[0-9A-HJKMNP-TV-Z]{24}\b/g, (id) => "01".padEnd(id.length, "X"))
    .replace(/\b20\d\d-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?Z)?/g, (instant) => instant.replace(/\d/g, "9"))
    .replace(/\b\d+ min\s+ago\b/g, (ago) => ago.replace(/\d/g, "9"))
    .replace(/\b\d\d:\d\d:\d\d\b/g, (time) => time.replace(/\d/g, "9"))
    .replace(/(?<=127\.0\.0\.1:)\d[\d\n]*/g, (port) => port.replace(/\d/g, "9"))
    .replace(/\bmkt \d+\.\d+\.\d+/g, (version) => version.replace(/\d/g, "9"))
    .replace(/\bv\d+\.\d+\.\d+/g, (version) => version.replace(/\d/g, "9"))
    .replace(/[ \t]+$/gm, "");
}
