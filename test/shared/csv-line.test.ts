import fc from "fast-check";
import { expect, test } from "vitest";
import { csvLine } from "../../shared/csv-line.ts";

test.each([
  [["a", 1, undefined, 0.5], "a,1,,0.5"],
  [["a,b", 'say "yes"', "two\nlines"], '"a,b","say ""yes""","two\nlines"'],
  [["=1+1", "+1+1", "-1-1", "@SUM(A1)", "\tx", "＝1"], "'=1+1,'+1+1,'-1-1,'@SUM(A1),'\tx,'＝1"],
  [["-33.86", "+49301234", "-1e5", "-A1", "-"], "-33.86,+49301234,'-1e5,'-A1,'-"],
  [['=HYPERLINK("http://h","x")'], `"'=HYPERLINK(""http://h"",""x"")"`],
  [["a=1", "1-2", " =1", -1], "a=1,1-2, =1,-1"],
  [["", ""], ","],
])("%j is a line of cells, and no formula", (values, line) => {
  expect(csvLine(values)).toBe(`${line}\r\n`);
});

test("is read back as what was written, but for the apostrophe before a formula", () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(",", '"', "\r", "\n", "=", "a", "'") }));
  fc.assert(
    fc.property(fc.array(fc.array(text, { minLength: 2, maxLength: 4 }), { maxLength: 5 }), (records) => {
      const file = records.map(csvLine).join("");

      const read = parseCsv(file);

      expect(read).toEqual(records.map((record) => record.map((cell) => (isFormula(cell) ? `'${cell}` : cell))));
    }),
  );
});

const isFormula = (cell: string) => /^[=+\-@\t\r＝＋－＠]/.test(cell) && !/^[+-]?\d+(\.\d+)?$/.test(cell);

/** As RFC 4180 has it. */
function parseCsv(file: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  const cells = /(?:"((?:[^"]|"")*)"|([^,"\r\n]*))(,|\r\n)/gy;
  for (let match = cells.exec(file); match !== null; match = cells.exec(file)) {
    const [, quoted, plain = "", end] = match;
    record.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ",") continue;
    records.push(record);
    record = [];
  }
  return records;
}
