export type Shell = "posix" | "fish" | "powershell";

/** Read alike, unquoted, by every shell here. A leading dash is not among them: it would be taken for an option. */
const plainWord = /^[A-Za-z0-9_./:][A-Za-z0-9_./:-]*$/;

/** One word, quoted so that the shell hands on exactly this text. The text holds no control characters. */
export function quoteWord(word: string, shell: Shell = "posix"): string {
  if (plainWord.test(word)) return word;
  switch (shell) {
    case "posix":
      return `'${word.replaceAll("'", `'\\''`)}'`;
    case "fish":
      return `'${word.replace(/['\\]/g, "\\$&")}'`;
    case "powershell":
      // PowerShell takes the typographic single quotes for quotes too.
      return `'${word.replace(/['\u2018-\u201B]/g, "$&$&")}'`;
  }
}
