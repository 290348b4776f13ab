import { encodeModule, EXPORT_NAME, MEMORY_NAMES } from "./encode-module.ts";
import { againIf, end, i16x8, i32, i32x4, local, loop, v128 } from "./instructions.ts";

/** The length of a row in bytes is a multiple of this. */
export const LANES = 16;

/**
 * Multiplies rows of signed bytes with one row of 16-bit numbers and writes a 32-bit sum for each, one after the other. All
 * are addresses in bytes; there is at least one row, and `width` is a multiple of `LANES`.
 */
export type RowKernel = (rows: number, rowsEnd: number, query: number, width: number, sums: number) => void;

/** WebAssembly memory, with the kernel that works in it. */
export interface KernelMemory {
  readonly buffer: ArrayBuffer;
  readonly run: RowKernel;
}

/** Undefined without WebAssembly and SIMD, or when there is not enough memory. */
export function openKernelMemory(bytes: number): KernelMemory | undefined {
  try {
    const memory = new WebAssembly.Memory({ initial: Math.max(1, Math.ceil(bytes / PAGE)) });
    const { exports } = new WebAssembly.Instance(kernelModule(), {
      [MEMORY_NAMES.module]: { [MEMORY_NAMES.memory]: memory },
    });
    return { buffer: memory.buffer, run: exports[EXPORT_NAME] as RowKernel };
  } catch {
    return undefined;
  }
}

const PAGE = 65_536;

const [row, rowsEnd, query, width, sums] = [0, 1, 2, 3, 4];
const [factor, rowEnd, sum, bytes] = [5, 6, 7, 8];

/*
 * do                                            for each row
 *   sum = 0; factor = query; rowEnd = row + width
 *   do                                          for each 16 of its bytes
 *     bytes = load(row)
 *     sum += extendLow(bytes) · load(factor) + extendHigh(bytes) · load(factor + 16)
 *     factor += 32; row += 16
 *   while row < rowEnd
 *   store(sums, sum[0] + sum[1] + sum[2] + sum[3]); sums += 4
 * while row < rowsEnd
 */
const lines = [
  [loop],
  [v128.zero, local.set(sum)],
  [local.get(query), local.set(factor)],
  [local.get(row), local.get(width), i32.add, local.set(rowEnd)],
  [loop],
  [local.get(row), v128.load(0), local.tee(bytes)],
  [i16x8.extendLowI8x16S, local.get(factor), v128.load(0), i32x4.dotI16x8S],
  [local.get(bytes), i16x8.extendHighI8x16S, local.get(factor), v128.load(16), i32x4.dotI16x8S],
  [i32x4.add, local.get(sum), i32x4.add, local.set(sum)],
  [local.get(factor), i32.const(32), i32.add, local.set(factor)],
  [local.get(row), i32.const(16), i32.add, local.tee(row), local.get(rowEnd), i32.ltU, againIf],
  [end],
  [local.get(sums)],
  [local.get(sum), i32x4.extractLane(0)],
  [local.get(sum), i32x4.extractLane(1), i32.add],
  [local.get(sum), i32x4.extractLane(2), i32.add],
  [local.get(sum), i32x4.extractLane(3), i32.add],
  [i32.store],
  [local.get(sums), i32.const(4), i32.add, local.set(sums)],
  [local.get(row), local.get(rowsEnd), i32.ltU, againIf],
  [end],
];

let compiled: object | undefined;

function kernelModule(): object {
  compiled ??= new WebAssembly.Module(
    encodeModule({ parameters: 5, variables: ["i32", "i32", "v128", "v128"], code: lines.flat() }),
  );
  return compiled;
}

/** Only what is used here: Node's types do not include it. */
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: Readonly<Record<string, unknown>> };
};
