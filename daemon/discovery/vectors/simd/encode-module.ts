/** One function of WebAssembly, which works on the memory of its host. */
export interface WasmFunction {
  /** The number of its parameters, each an i32. It returns nothing. */
  readonly parameters: number;
  /** The types of its local variables, numbered after the parameters. */
  readonly variables: readonly WasmType[];
  /** Instructions in order, each as its bytes. */
  readonly code: readonly (readonly number[])[];
}

export type WasmType = "i32" | "v128";

/** The names of the exported function and of the imported memory. */
export const EXPORT_NAME = "run";
export const MEMORY_NAMES = { module: "host", memory: "memory" } as const;

const MAGIC_AND_VERSION = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const SECTIONS = { types: 1, imports: 2, functions: 3, exports: 7, code: 10 } as const;
const TYPES: Readonly<Record<WasmType, number>> = { i32: 0x7f, v128: 0x7b };
const FUNCTION_TYPE = 0x60;
const MEMORY_OF_ONE_PAGE_OR_MORE = [0x02, 0x00, 0x01];
const FIRST_FUNCTION = [0x00, 0x00];
const END = 0x0b;

/** A module with only this function. Source: WebAssembly Core Specification 2.0, chapter 5, "Binary Format". */
export function encodeModule({ parameters, variables, code }: WasmFunction): Uint8Array {
  const parameterTypes = Array.from({ length: parameters }, () => [TYPES.i32]);
  const body = [...list(variables.map((type) => [1, TYPES[type]])), ...code.flat(), END];
  const memory = [...name(MEMORY_NAMES.module), ...name(MEMORY_NAMES.memory), ...MEMORY_OF_ONE_PAGE_OR_MORE];
  return Uint8Array.from([
    ...MAGIC_AND_VERSION,
    ...section(SECTIONS.types, [FUNCTION_TYPE, ...list(parameterTypes), ...list([])]),
    ...section(SECTIONS.imports, memory),
    ...section(SECTIONS.functions, [0]),
    ...section(SECTIONS.exports, [...name(EXPORT_NAME), ...FIRST_FUNCTION]),
    ...section(SECTIONS.code, [...unsigned(body.length), ...body]),
  ]);
}

/** LEB128: seven bits a byte, the lowest first. */
export function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** A section with one entry. */
function section(number: number, entry: readonly number[]): number[] {
  const content = list([entry]);
  return [number, ...unsigned(content.length), ...content];
}

function list(entries: readonly (readonly number[])[]): number[] {
  return [...unsigned(entries.length), ...entries.flat()];
}

function name(text: string): number[] {
  return list([...Buffer.from(text)].map((byte) => [byte]));
}
