/* eslint-disable no-control-regex -- control characters are what this file is about */

// OSC, DCS, SOS, PM and APC with their terminator; one that never ends loses its introducer only, not the text after it.
// No introducer inside one: else each of many that never end would be searched to the end of the text.
const stringSequences =
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0090\u0098\u009c-\u009f]*(?:\u0007|\u001b\\|\u009c)/g;
const controlSequences = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]/g;
const otherEscapes = /\u001b[ -/]*[0-~]/g;

/** The text without the sequences that a terminal takes for commands; control characters by themselves stay. */
export function withoutEscapeSequences(text: string): string {
  return text.replace(stringSequences, "").replace(controlSequences, "").replace(otherEscapes, "");
}
