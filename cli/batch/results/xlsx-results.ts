import { countWords } from "../../../shared/count-words.ts";
import { refusedInput } from "../../core/cli-error.ts";
import { checkNoLines, isThere, linesBeside, openBuiltResults } from "./built-results.ts";
import { linesInOrder } from "./lines-in-order.ts";
import { DoneRows, type Results } from "./results.ts";
import { type Cell, ownColumns, type TableFile, tableResults } from "./table-results.ts";
import { cellXml, columnLetters, headerXml, isTooLong, MOST_CHARACTERS } from "./xlsx-cells.ts";
import { MAIN_NAMESPACE, type SheetContent, writeWorkbook, XML_HEAD } from "./xlsx-workbook.ts";

/** Excel's "Specifications and limits"; one row names the columns. */
const MOST_ROWS = 1_048_576 - 1;
const MOST_COLUMNS = 16_384;
/** What is written at once. */
const PIECE_CHARACTERS = 65_536;

export interface XlsxPlace {
  readonly path: string;
  readonly batchId: string;
  readonly sheet: string;
  /** The columns of the rows. */
  readonly columns: readonly string[];
  /** How many rows the batch has. */
  readonly rows: number;
  /** Tells a person. */
  readonly note: (text: string) => Promise<void>;
}

/** Results as a sheet of a workbook of its own, in the order of the rows. It is written in pieces, whatever its size. */
export async function openXlsxResults(place: XlsxPlace): Promise<Results> {
  const { path, note } = place;
  return await openBuiltResults(place, async ({ lines, copy }) => {
    const tooLong = await writeSheet(place, { lines, copy });
    if (tooLong === 0) return true;
    const cells = countWords(tooLong, "text");
    await note(
      `${cells} of more than ${MOST_CHARACTERS} characters, which no cell of a spreadsheet can have, ended with "(cut)". The whole ones are in ${linesBeside(path)}.`,
    );
    return false;
  });
}

/** Rejects with refused input where something is there already, or a sheet cannot take the rows. */
export async function checkXlsxPlace({
  path,
  columns,
  rows,
}: Pick<XlsxPlace, "path" | "columns" | "rows">): Promise<void> {
  if (rows > MOST_ROWS) {
    throw refusedInput(
      `A sheet takes ${MOST_ROWS} rows, and the batch has ${rows}: choose -o results.csv or .sqlite, or divide the rows.`,
    );
  }
  if (ownColumns.length + columns.length + 2 > MOST_COLUMNS) {
    throw refusedInput(
      `A sheet takes ${MOST_COLUMNS} columns, and the rows have ${columns.length}: choose -o results.jsonl.`,
    );
  }
  if (await isThere(path)) {
    throw refusedInput(
      `${path} exists already, and is not of an interrupted batch of these rows: choose another name.`,
    );
  }
  await checkNoLines(path);
}

/** Resolves to the number of texts that are too long for a cell. */
async function writeSheet(
  { sheet, columns, rows }: XlsxPlace,
  { lines, copy }: { readonly lines: string; readonly copy: string },
): Promise<number> {
  let tooLong = 0;
  await writeWorkbook({ path: copy, sheet }, async (content) => {
    const table = new SheetTable(content);
    const results = tableResults(table, columns);
    for await (const result of linesInOrder(lines, rows)) await results.write(result);
    await results.close();
    tooLong = table.tooLong;
  });
  return tooLong;
}

/** Writes `xl/worksheets/sheet1.xml`. */
class SheetTable implements TableFile {
  readonly done = new DoneRows();
  readonly columns = undefined;
  readonly mostColumns = MOST_COLUMNS;
  tooLong = 0;
  readonly #content: SheetContent;
  #letters: readonly string[] = [];
  #row = 0;
  #piece =
    `${XML_HEAD}<worksheet xmlns="${MAIN_NAMESPACE}"><sheetViews><sheetView workbookViewId="0">` +
    `<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`;

  constructor(content: SheetContent) {
    this.#content = content;
  }

  async begin(columns: readonly string[]): Promise<void> {
    this.#letters = columns.map((_, at) => columnLetters(at));
    this.#addRow(columns, headerXml);
    await this.#flush();
  }

  async add(rows: readonly (readonly Cell[])[]): Promise<void> {
    for (const row of rows) this.#addRow(row, cellXml);
    if (this.#piece.length > PIECE_CHARACTERS) await this.#flush();
  }

  async close(): Promise<void> {
    this.#piece += "</sheetData></worksheet>";
    await this.#flush();
  }

  #addRow<Value extends Cell>(values: readonly Value[], xmlOf: (place: string, value: Value) => string): void {
    this.#row += 1;
    const cells = values.map((value, at) => {
      if (isTooLong(value)) this.tooLong += 1;
      return xmlOf(`${this.#letters[at]}${this.#row}`, value);
    });
    this.#piece += `<row r="${this.#row}">${cells.join("")}</row>`;
  }

  async #flush(): Promise<void> {
    const piece = this.#piece;
    this.#piece = "";
    await this.#content(piece);
  }
}
