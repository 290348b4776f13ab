/** File descriptors of a reader's process, beside 0 to 2: questions are received and answers are sent here. */
export const QUESTIONS = 3;

/** Nothing is sent to the reader here: the pipe closes when the parent ends, and then the reader ends too. */
export const LIFELINE = 4;

/** Written by a reader to its lifeline before it ends itself for its memory. */
export const TOO_MUCH_MEMORY = "m";
