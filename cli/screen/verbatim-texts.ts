/** From here on there are 65,534 characters that no text needs: they are for private use. */
const firstMark = 0xf_0000;
const marks = /[\u{f0000}-\u{ffffd}]/gu;

/** Texts that are kept out of a screen while it is laid out. */
export class VerbatimTexts {
  readonly #texts: string[] = [];

  /** Keeps a text and gives the character to be laid out in its place. */
  readonly keep = (text: string): string => {
    this.#texts.push(text);
    return String.fromCodePoint(firstMark + this.#texts.length - 1);
  };

  /** The screen with each text in its place. */
  putInto(screen: string): string {
    return screen.replace(marks, (mark) => this.#texts[(mark.codePointAt(0) ?? 0) - firstMark] ?? mark);
  }
}
