/**
 * The result of a parser of manifest text: the parsed form, or why the text is wrong, in words for the file's author.
 */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };
