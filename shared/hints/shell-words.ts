/** The supported shells, which differ in quotes and `#`. */
export type Shell = "posix" | "zsh" | "fish" | "powershell" | "cmd";

/** Has the same meaning, unquoted, in every shell here. A leading dash is excluded: it would be taken for an option. */
const plainWord = /^[A-Za-z0-9_./:][A-Za-z0-9_./:-]*$/;

/**
 * One word, quoted so that the shell passes on exactly this text. In cmd a double quote is replaced by a single one,
 * because it cannot be passed safely through the batch files that start npm programs. The text has no control
 * characters.
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
      // PowerShell treats typographic single quotes as quotes too.
      return `'${word.replace(/['\u2018-\u201B]/g, "$&$&")}'`;
    case "cmd":
      return quoteForCmd(word.replaceAll('"', "'"));
  }
}

/** Whether text after `#` is a comment at the prompt. Not in zsh unless it is enabled; never in cmd. */
export function hasComments(shell: Shell): boolean {
  return shell !== "zsh" && shell !== "cmd";
}

/**
 * A percent sign is written outside of the quotes, after a caret: inside, a name between two of them would be expanded.
 */
function quoteForCmd(word: string): string {
  return word
    .split("%")
    .map((part) => `"${part.replace(/\\+$/, "$&$&")}"`)
    .join("^%");
}
