import { unsigned } from "./encode-module.ts";

/*
 * Instructions as their bytes, named as in the WebAssembly specification (chapter 5.4), with a dot for what follows a
 * type. Only those that the kernel needs.
 */

const SIMD = 0xfd;
const NO_RESULT = 0x40;
/** The alignment of addresses is only a hint; promising none is always correct. */
const UNALIGNED = 0;

export const local = {
  get: (place: number) => [0x20, ...unsigned(place)],
  set: (place: number) => [0x21, ...unsigned(place)],
  tee: (place: number) => [0x22, ...unsigned(place)],
};

export const loop = [0x03, NO_RESULT];
export const end = [0x0b];
/** Takes an i32, and jumps to the start of the innermost loop unless it is 0. */
export const againIf = [0x0d, 0x00];

export const i32 = {
  /** 0 to 63: the constant is signed, and these fit into one byte. */
  const: (value: number) => [0x41, value],
  add: [0x6a],
  ltU: [0x49],
  store: [0x36, UNALIGNED, 0],
};

export const v128 = {
  load: (offset: number) => [SIMD, ...unsigned(0x00), UNALIGNED, ...unsigned(offset)],
  zero: [SIMD, ...unsigned(0x0c), ...Array.from({ length: 16 }, () => 0)],
};

export const i16x8 = {
  extendLowI8x16S: [SIMD, ...unsigned(0x87)],
  extendHighI8x16S: [SIMD, ...unsigned(0x88)],
};

export const i32x4 = {
  extractLane: (lane: number) => [SIMD, ...unsigned(0x1b), lane],
  add: [SIMD, ...unsigned(0xae)],
  dotI16x8S: [SIMD, ...unsigned(0xba)],
};
