/** Ways in which a provider may give a text back. Their names are titles of tests. */
export const SPELLINGS: readonly (readonly [name: string, spell: (text: string) => string])[] = [
  ["as it is", (text) => text],
  ["in lower case", (text) => text.toLowerCase()],
  ["in upper case", (text) => text.toUpperCase()],
  ["percent-encoded", encodeURIComponent],
  ["percent-encoded in lower case", (text) => encodeURIComponent(text).replace(/%../g, (hex) => hex.toLowerCase())],
  ["percent-encoded twice", (text) => encodeURIComponent(encodeURIComponent(text))],
  ["with every byte percent-encoded", (text) => bytesOf(text, (hex) => `%${hex}`)],
  ["as a form", (text) => new URLSearchParams([["", text]]).toString().slice(1)],
  ["as old JavaScript escapes", (text) => unitsOf(text, (hex) => `%u${hex.padStart(4, "0")}`)],
  ["in JSON", (text) => JSON.stringify(text).slice(1, -1)],
  ["in JSON of a careful encoder", (text) => text.replace(/[^A-Za-z0-9 ]/g, (char) => unitsOf(char, toUnicode))],
  ["in JSON with every letter escaped", (text) => unitsOf(text, toUnicode)],
  ["in JSON in JSON", (text) => JSON.stringify(JSON.stringify(text)).slice(1, -1)],
  ["percent-encoded in JSON in JSON", (text) => JSON.stringify(JSON.stringify({ a: encodeURIComponent(text) }))],
  ["with bytes escaped", (text) => bytesOf(text, (hex) => `\\x${hex}`)],
  [
    "with octal escapes",
    (text) => bytesOf(text, (hex) => `\\${Number.parseInt(hex, 16).toString(8).padStart(3, "0")}`),
  ],
  ["in XML", (text) => text.replace(/[&<>"']/g, (char) => XML[char] ?? char)],
  ["in HTML with names", (text) => text.replace(/[^A-Za-z0-9 ]/g, (char) => HTML[char] ?? char)],
  ["in HTML with numbers", (text) => text.replace(/[^A-Za-z0-9 ]/g, (char) => `&#${char.codePointAt(0)};`)],
  ["in HTML with hexadecimal numbers", (text) => unitsOf(text, (hex) => `&#x${hex.toUpperCase()};`)],
  [
    "in HTML with long numbers and no ends",
    (text) => text.replace(/[^A-Za-z0-9 ](?![0-9])/gu, (char) => `&#00${char.codePointAt(0)}`),
  ],
  ["in HTML twice", (text) => text.replace(/[^A-Za-z0-9 ]/g, (char) => `&amp;#${char.codePointAt(0)};`)],
  ["in hexadecimal", (text) => Buffer.from(text).toString("hex")],
  ["in upper hexadecimal", (text) => Buffer.from(text).toString("hex").toUpperCase()],
  ["in base64", (text) => Buffer.from(text).toString("base64")],
  ["in base64 after one byte", (text) => Buffer.from(`:${text}`).toString("base64")],
  ["in base64 after two bytes", (text) => Buffer.from(`x:${text}!`).toString("base64")],
  ["in base64 for URLs", (text) => Buffer.from(text).toString("base64url")],
  ["in base64, percent-encoded", (text) => encodeURIComponent(Buffer.from(text).toString("base64"))],
  ["in base64 in lines", (text) => Buffer.from(text).toString("base64").replace(/.{12}/g, "$&\r\n")],
  ["in base64 of JSON", (text) => Buffer.from(JSON.stringify({ key: text })).toString("base64")],
  [
    "in base64 of HTML",
    (text) => Buffer.from(text.replace(/\W/g, (char) => `&#${char.codePointAt(0)};`)).toString("base64"),
  ],
  ["in base64 in base64", (text) => Buffer.from(Buffer.from(text).toString("base64")).toString("base64")],
  ["in UTF-16", (text) => Buffer.from(text, "utf16le").toString()],
  ["in UTF-16, big end first", (text) => Buffer.from(text, "utf16le").swap16().toString()],
  ["in UTF-16 in base64", (text) => Buffer.from(text, "utf16le").toString("base64")],
  ["in UTF-16 with its mark in base64", (text) => Buffer.from(`\ufeff${text}`, "utf16le").toString("base64")],
  [
    "in UTF-16, big end first, with its mark in base64",
    (text) => Buffer.from(`\ufeff${text}`, "utf16le").swap16().toString("base64"),
  ],
  ["in UTF-16 in hexadecimal", (text) => Buffer.from(text, "utf16le").toString("hex")],
  ["in UTF-8 taken for Latin-1", (text) => Buffer.from(text).toString("latin1")],
  ["in quoted-printable", (text) => quotedPrintable(text)],
  ["in quoted-printable in lines", (text) => quotedPrintable(text).replace(/^(?:[^=]|=..){3}/, "$&=\r\n")],
];

const XML: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };
const HTML: Readonly<Record<string, string>> = { ...XML, "+": "&plus;", "/": "&sol;", "=": "&equals;", é: "&eacute;" };

function bytesOf(text: string, spell: (hex: string) => string): string {
  return [...Buffer.from(text)].map((byte) => spell(byte.toString(16).padStart(2, "0"))).join("");
}

function unitsOf(text: string, spell: (hex: string) => string): string {
  return Array.from({ length: text.length }, (_, at) => spell(text.charCodeAt(at).toString(16))).join("");
}

function toUnicode(hex: string): string {
  return `\\u${hex.padStart(4, "0")}`;
}

function quotedPrintable(text: string): string {
  return [...text]
    .map((char) => (/[A-Za-z0-9 ]/.test(char) ? char : bytesOf(char, (hex) => `=${hex.toUpperCase()}`)))
    .join("");
}
