/** Of a reader's process, beside 0 to 2: questions come and answers go here. */
export const QUESTIONS = 3;

/** Nothing is sent here to the reader: it ends with the process that started it, and the reader with it. */
export const LIFELINE = 4;

/** What a reader says on its lifeline before it ends itself for its memory. */
export const TOO_MUCH_MEMORY = "m";
