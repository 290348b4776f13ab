/** The path to a place in a file: member names and list indexes. */
export type DocumentPath = readonly (string | number)[];
