import { readFileSync } from "node:fs";
import { strFromU8, unzipSync } from "fflate";

/** What the XML of a cell says. */
export interface SheetCell {
  readonly text?: string;
  readonly value?: string;
  readonly type?: string;
  /** Of a number that has one. */
  readonly format?: string;
  readonly isQuoted?: boolean;
}

/** The cells of the only sheet of a workbook, by their places, such as B7, as they are in its XML. */
export function sheetCells(path: string, { withQuotes = false } = {}): Map<string, SheetCell> {
  const parts = unzipSync(readFileSync(path));
  const xmlOf = (name: string) => strFromU8(parts[name] ?? new Uint8Array());
  const stylesXml = xmlOf("xl/styles.xml");
  const formats = new Map(
    matches(stylesXml, /<numFmt numFmtId="(\d+)" formatCode="([^"]*)"/g).map(([id, code]) => [id, code]),
  );
  const styles = matches(stylesXml.split("<cellXfs")[1] ?? "", /<xf (numFmtId="(\d+)"[^>]*)>/g);
  const cells = new Map<string, SheetCell>();
  for (const [place, words = "", inner = ""] of matches(
    xmlOf("xl/worksheets/sheet1.xml"),
    /<c r="([A-Z]+\d+)"([^>]*)>(.*?)<\/c>/gs,
  )) {
    const [, type] = / t="(\w+)"/.exec(words) ?? [];
    const [, style = "0"] = / s="(\d+)"/.exec(words) ?? [];
    const [attributes = "", formatId = ""] = styles[Number(style)] ?? [];
    if (type === "inlineStr") {
      const [, text = ""] = /^<is><t xml:space="preserve">(.*)<\/t><\/is>$/s.exec(inner) ?? [];
      const isQuoted = attributes.includes('quotePrefix="1"');
      cells.set(place!, { text: decoded(text), ...(withQuotes && { isQuoted }) });
      continue;
    }
    const [, value = ""] = /^<v>(.*)<\/v>$/.exec(inner) ?? [];
    const format = formats.get(formatId);
    cells.set(place!, { value, ...(type !== undefined && { type }), ...(format !== undefined && { format }) });
  }
  return cells;
}

function matches(text: string, pattern: RegExp): [string, string, ...string[]][] {
  return [...text.matchAll(pattern)].map(([, ...groups]) => groups as [string, string, ...string[]]);
}

function decoded(xml: string): string {
  return xml.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
