/** The way to a place in a file: names of members and places in lists. */
export type DocumentPath = readonly (string | number)[];
