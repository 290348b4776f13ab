import { fstatSync, readSync } from "node:fs";

/** Of ES2024; Node has it from 20 on, the declarations of this program's target do not. */
const ResizableBuffer = ArrayBuffer as unknown as new (
  byteLength: number,
  options: { readonly maxByteLength: number },
) => ArrayBuffer & { resize(byteLength: number): void };

/**
 * Gives `use` the whole content of an open file. The memory goes back to the system when `use` returns, and not when V8 next
 * collects, which an idle daemon does not: what `use` keeps of the bytes is empty then.
 */
export function readBriefly<Result>(file: number, use: (bytes: Buffer) => Result): Result {
  const { size } = fstatSync(file);
  const memory = new ResizableBuffer(size, { maxByteLength: size });
  const bytes = Buffer.from(memory);
  try {
    let length = 0;
    while (length < size) {
      const read = readSync(file, bytes, length, size - length, null);
      if (read === 0) break;
      length += read;
    }
    return use(bytes.subarray(0, length));
  } finally {
    memory.resize(0);
  }
}
