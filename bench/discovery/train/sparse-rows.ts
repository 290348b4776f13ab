/** A sparse matrix, row after row: row r has the columns and values from `starts[r]` up to `starts[r + 1]`. */
export interface SparseRows {
  readonly size: number;
  readonly starts: Uint32Array;
  readonly columns: Uint32Array;
  readonly values: Float32Array;
}

/** From the entries of each row; a column occurs once in a row. */
export function toSparseRows(rows: readonly ReadonlyMap<number, number>[]): SparseRows {
  const total = rows.reduce((sum, row) => sum + row.size, 0);
  const starts = new Uint32Array(rows.length + 1);
  const columns = new Uint32Array(total);
  const values = new Float32Array(total);
  let place = 0;
  for (const [number, row] of rows.entries()) {
    for (const [column, value] of row) {
      columns[place] = column;
      values[place] = value;
      place += 1;
    }
    starts[number + 1] = place;
  }
  return { size: rows.length, starts, columns, values };
}

export function isEmptyRow(rows: SparseRows, row: number): boolean {
  return rows.starts[row] === rows.starts[row + 1];
}

/** For each column the rows that have it, as the columns of a row; values are left out (0). */
export function transposePattern(rows: SparseRows, columnCount: number): SparseRows {
  const starts = new Uint32Array(columnCount + 1);
  for (const column of rows.columns) starts[column + 1] = (starts[column + 1] ?? 0) + 1;
  for (let column = 0; column < columnCount; column += 1)
    starts[column + 1] = (starts[column + 1] ?? 0) + (starts[column] ?? 0);
  const next = starts.slice();
  const columns = new Uint32Array(rows.columns.length);
  for (let row = 0; row < rows.size; row += 1) {
    const end = rows.starts[row + 1] ?? 0;
    for (let at = rows.starts[row] ?? 0; at < end; at += 1) {
      const column = rows.columns[at] ?? 0;
      const place = next[column] ?? 0;
      columns[place] = row;
      next[column] = place + 1;
    }
  }
  return { size: columnCount, starts, columns, values: new Float32Array(0) };
}

/** A number for each row that is the same for equal rows and hardly ever for others (FNV-1a over columns and values). */
export function rowKeys(rows: SparseRows): Uint32Array {
  const bits = new Uint32Array(rows.values.buffer, rows.values.byteOffset, rows.values.length);
  return Uint32Array.from({ length: rows.size }, (_, row) => {
    let hash = 0x811c9dc5;
    const end = rows.starts[row + 1] ?? 0;
    for (let at = rows.starts[row] ?? 0; at < end; at += 1) {
      hash = Math.imul(hash ^ (rows.columns[at] ?? 0), 0x01000193);
      hash = Math.imul(hash ^ (bits[at] ?? 0), 0x01000193);
    }
    return hash;
  });
}
