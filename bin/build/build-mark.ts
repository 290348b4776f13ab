/** Tells one build from another: SHA-256 (hex) of all that was built, which the build puts in the place of these zeros. */
export const buildMark = "0000000000000000000000000000000000000000000000000000000000000000";
