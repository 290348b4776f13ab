import type { Cell } from "./table-results.ts";

/** Of a text in a cell, in UTF-16 units. Excel's "Specifications and limits". */
export const MOST_CHARACTERS = 32_767;
/** Excel shows and keeps so many digits of a number: those that follow become zeros. */
const FIRST_LONG_INTEGER = 1e15;
const CUT = " … (cut)";

/** `s` of a cell: its place in `cellFormats`. */
const styles = { number: 0, header: 1, text: 2, firstDate: 3 } as const;

/** The forms of dates that look in a spreadsheet as they do in the text. Others stay texts. */
const timeForms = ["", "\\Thh:mm", "\\Thh:mm:ss", "\\Thh:mm:ss.000"] as const;
const dateForms = timeForms.flatMap((time) => (time === "" ? [time] : [time, `${time}\\Z`]));
const FIRST_FORMAT_ID = 164;

/** xl/styles.xml. */
export function stylesXml(): string {
  const formats = dateForms.map(
    (form, at) => `<numFmt numFmtId="${FIRST_FORMAT_ID + at}" formatCode="yyyy\\-mm\\-dd${form}"/>`,
  );
  // With quotePrefix a text stays one when a person edits its cell: what looks like a formula is never run.
  const cellFormats = [
    `<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>`,
    `<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" quotePrefix="1" applyFont="1"/>`,
    `<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1"/>`,
    ...dateForms.map(
      (_, at) =>
        `<xf numFmtId="${FIRST_FORMAT_ID + at}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`,
    ),
  ];
  const font = (bold: string) => `<font>${bold}<sz val="11"/><name val="Calibri"/><family val="2"/></font>`;
  return [
    `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">`,
    `<numFmts count="${formats.length}">${formats.join("")}</numFmts>`,
    `<fonts count="2">${font("")}${font("<b/>")}</fonts>`,
    `<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>`,
    `<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>`,
    `<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>`,
    `<cellXfs count="${cellFormats.length}">${cellFormats.join("")}</cellXfs>`,
    `<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>`,
    `</styleSheet>`,
  ].join("");
}

/** `A` for 0, `AA` for 26. */
export function columnLetters(column: number): string {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? last : columnLetters(Math.floor(column / 26) - 1) + last;
}

/** Whether a cell cannot have all of it. */
export function isTooLong(value: Cell): boolean {
  return typeof value === "string" && value.length > MOST_CHARACTERS;
}

/** The `c` of a row; `place` is such as B7. An empty cell is left out. */
export function cellXml(place: string, value: Cell): string {
  if (value === undefined) return "";
  if (typeof value === "boolean") return `<c r="${place}" t="b"><v>${value ? 1 : 0}</v></c>`;
  if (typeof value === "number") return isKept(value) ? numberXml(place, value) : textXml(place, String(value));
  const date = dateOf(value);
  if (date !== undefined) return `<c r="${place}" s="${date.style}"><v>${date.days}</v></c>`;
  return textXml(place, value);
}

export function headerXml(place: string, name: string): string {
  return textXml(place, name, styles.header);
}

function numberXml(place: string, value: number): string {
  return `<c r="${place}"><v>${value}</v></c>`;
}

/** Whether a spreadsheet has this number as it is. It takes the smallest ones for 0. */
function isKept(value: number): boolean {
  if (value === 0) return true;
  return Number.isInteger(value) ? Math.abs(value) < FIRST_LONG_INTEGER : Math.abs(value) >= 2 ** -1022;
}

function textXml(place: string, text: string, style: number = styles.text): string {
  return `<c r="${place}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escaped(fitting(text))}</t></is></c>`;
}

function fitting(text: string): string {
  if (!isTooLong(text)) return text;
  // Half of a pair is no character.
  return `${text.slice(0, MOST_CHARACTERS - CUT.length).replace(/[\uD800-\uDBFF]$/, "")}${CUT}`;
}

/**
 * XML has no control characters: a workbook writes `_x0007_` for them, and `_x005F_` for the underscore of a text that looks
 * so. ECMA-376 part 1, 22.9.2.19. Half of a surrogate pair is no character in either.
 */
function escaped(text: string): string {
  return text
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, "_x005F_")
    .replace(/[^\P{Cc}\t\n]|[\uFFFE\uFFFF]/gu, (character) => {
      return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`;
    })
    .replace(/\p{Cs}/gu, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}

const dateText = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d)?(\.\d{3})?(Z)?)?$/;
const DAY_MS = 86_400_000;
const DAY_ZERO_MS = Date.UTC(1899, 11, 30);
/** Before it, Excel counts a 29 February 1900 that never was. */
const FIRST_DAY_MS = Date.UTC(1900, 2, 1);

/** A day, or a moment without an offset or in UTC, as days of Excel. A date that is none, such as 30 February, is a text. */
function dateOf(text: string): { readonly days: number; readonly style: number } | undefined {
  const [, day, minutes, seconds, milliseconds, zone] = dateText.exec(text) ?? [];
  if (day === undefined || (milliseconds !== undefined && seconds === undefined)) return undefined;
  const moment = new Date(`${day}T${minutes ?? "00:00"}${seconds ?? ":00"}${milliseconds ?? ""}Z`);
  const ms = moment.getTime();
  if (Number.isNaN(ms) || ms < FIRST_DAY_MS || !moment.toISOString().startsWith(day)) return undefined;
  const detail = [minutes, seconds, milliseconds].filter((part) => part !== undefined).length;
  const form = `${timeForms[detail] ?? ""}${zone === undefined ? "" : "\\Z"}`;
  return { days: (ms - DAY_ZERO_MS) / DAY_MS, style: styles.firstDate + dateForms.indexOf(form) };
}
