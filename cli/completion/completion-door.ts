/** The first word of a call that the completion scripts make; no help shows it. */
export const completionDoor = "__complete";
