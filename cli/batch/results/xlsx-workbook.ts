import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { stylesXml } from "./xlsx-cells.ts";

/** What every part begins with. */
export const XML_HEAD = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n`;
export const MAIN_NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/** The parts of a workbook with one sheet. ECMA-376 part 1, 12.2. */
function workbookParts(sheet: string): Record<string, string> {
  const name = sheet.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
  return {
    "[Content_Types].xml": [
      `<Types xmlns="${PACKAGE}/content-types">`,
      `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`,
      `<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>`,
      `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/>`,
      `<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/>`,
      `</Types>`,
    ].join(""),
    "_rels/.rels": relations([["officeDocument", "xl/workbook.xml"]]),
    "xl/workbook.xml": `<workbook xmlns="${MAIN_NAMESPACE}" xmlns:r="${RELATIONS}"><sheets><sheet name="${name}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relations([
      ["worksheet", "worksheets/sheet1.xml"],
      ["styles", "styles.xml"],
    ]),
    "xl/styles.xml": stylesXml(),
  };
}

function relations(targets: readonly (readonly [type: string, target: string])[]): string {
  const each = targets.map(
    ([type, target], at) => `<Relationship Id="rId${at + 1}" Type="${RELATIONS}/${type}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${PACKAGE}/relationships">${each.join("")}</Relationships>`;
}

/** Takes a piece of the sheet's XML; resolves when it takes the next one. */
export type SheetContent = (piece: string) => Promise<void>;

/** Writes a workbook with one sheet, whose XML `fill` gives in pieces. Nothing of it is in memory as a whole. */
export async function writeWorkbook(
  { path, sheet }: { readonly path: string; readonly sheet: string },
  fill: (content: SheetContent) => Promise<void>,
): Promise<void> {
  const {
    default: { ZipFile },
  } = await import("yazl");
  const zip = new ZipFile();
  for (const [name, xml] of Object.entries(workbookParts(sheet))) zip.addBuffer(Buffer.from(XML_HEAD + xml), name);
  const content = new PassThrough();
  zip.addReadStream(content, "xl/worksheets/sheet1.xml");
  zip.end();
  // A disk that is full must not leave the sheet waiting for it, nor a failed sheet the file.
  const abort = new AbortController();
  const stopped = (error: unknown) => {
    content.destroy();
    abort.abort(error);
    throw error;
  };
  const written = pipeline(zip.outputStream, createWriteStream(path), { signal: abort.signal }).catch(stopped);
  await Promise.allSettled([fillAll(content, fill).catch(stopped), written]);
  abort.signal.throwIfAborted();
}

async function fillAll(content: PassThrough, fill: (content: SheetContent) => Promise<void>): Promise<void> {
  await fill(async (piece) => {
    if (content.write(piece)) return;
    if (!content.destroyed) await Promise.race([once(content, "drain"), once(content, "close")]);
    if (content.destroyed) throw new Error("The spreadsheet could not be written");
  });
  content.end();
}
