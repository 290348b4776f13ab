/** Shells that read lines of ours, by what they make of quotes and of `#`. */
export type Shell = "posix" | "zsh" | "fish" | "powershell" | "cmd";

/** Read alike, unquoted, by every shell here. A leading dash is not among them: it would be taken for an option. */
const plainWord = /^[A-Za-z0-9_./:][A-Za-z0-9_./:-]*$/;

/**
 * One word, quoted so that the shell hands on exactly this text; cmd cannot hand on a double quote safely through the batch
 * files that start programs of npm, and gets a single one in its place. The text holds no control characters.
 */
export function quoteWord(word: string, shell: Shell = "posix"): string {
  if (plainWord.test(word)) return word;
  switch (shell) {
    case "posix":
    case "zsh":
      return `'${word.replaceAll("'", `'\\''`)}'`;
    case "fish":
      return `'${word.replace(/['\\]/g, "\\$&")}'`;
    case "powershell":
      // PowerShell takes the typographic single quotes for quotes too.
      return `'${word.replace(/['\u2018-\u201B]/g, "$&$&")}'`;
    case "cmd":
      return quoteForCmd(word.replaceAll('"', "'"));
  }
}

/** Whether what stands behind `#` is a comment at the prompt. zsh has none there unless it is told to; cmd never. */
export function hasComments(shell: Shell): boolean {
  return shell !== "zsh" && shell !== "cmd";
}

/** A percent sign stands outside of the quotes, behind a caret: within them a name between two would be filled in. */
function quoteForCmd(word: string): string {
  return word
    .split("%")
    .map((part) => `"${part.replace(/\\+$/, "$&$&")}"`)
    .join("^%");
}
