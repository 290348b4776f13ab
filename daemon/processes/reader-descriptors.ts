/** File descriptors of a reader's process, beside 0 to 2: questions are received and answers are sent here. */
export const QUESTIONS = 3;

/** A reader writes here why it ends itself. */
export const LAST_WORDS = 4;

/** Its last word when it has too much memory. */
export const TOO_MUCH_MEMORY = "m";
