import { removeControls } from "./clean-text.ts";

/** Notes for a person about a whole conversion: each kind of loss once, with its count and one location. */
export class ImportNotes {
  readonly #notes = new Map<string, { count: number; readonly place: string }>();

  /** `what` is the same for all losses of a kind; the `place` of the first one is shown. */
  add(what: string, place = ""): void {
    const found = this.#notes.get(what);
    if (found === undefined) this.#notes.set(what, { count: 1, place });
    else found.count += 1;
  }

  /** One line for each kind, in the order in which they occurred. */
  list(): string[] {
    return [...this.#notes].map(([what, { count, place }]) => {
      const shown = removeControls(place).replaceAll("\n", " ");
      const first = shown === "" ? "" : ` (${count > 1 ? "first " : ""}at ${shown})`;
      return count > 1 ? `${what}, ${count} times${first}` : `${what}${first}`;
    });
  }
}
