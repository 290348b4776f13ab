/**
 * The colours of screens. Each has a contrast above 3.5 on black and on white, so that none has to know the background; a
 * terminal of 16 colours shows the nearest of its own. Colour only repeats what words say.
 */
export const palette = {
  good: "ansi256(28)",
  notable: "ansi256(130)",
  bad: "ansi256(160)",
  busy: "ansi256(30)",
  /** What can be typed. */
  command: "ansi256(30)",
} as const;

export type PaletteColor = (typeof palette)[keyof typeof palette];
