/* eslint-disable no-control-regex -- control characters are what this file is about */

// OSC, DCS, SOS, PM and APC with their terminator; an unterminated one loses only its introducer, not the text after
// it. There is no introducer inside one: otherwise each of many unterminated ones would be searched to the end of the
// text.
const stringSequences =
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0090\u0098\u009c-\u009f]*(?:\u0007|\u001b\\|\u009c)/g;
const controlSequences = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]/g;
const otherEscapes = /\u001b[ -/]*[0-~]/g;

/** The text without terminal escape sequences; single control characters stay. */
export function withoutEscapeSequences(text: string): string {
  return text.replace(stringSequences, "").replace(controlSequences, "").replace(otherEscapes, "");
}
