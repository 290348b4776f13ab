/** The languages beside English in which discovery understands queries, in the order of the columns of `words/`. */
export const QUERY_LANGUAGES = ["German", "French", "Spanish", "Portuguese", "Italian", "Dutch"] as const;

export type QueryLanguage = (typeof QUERY_LANGUAGES)[number];

/** As ISO 639 codes them. */
export const LANGUAGE_CODES: Readonly<Record<QueryLanguage, string>> = {
  German: "de",
  French: "fr",
  Spanish: "es",
  Portuguese: "pt",
  Italian: "it",
  Dutch: "nl",
};
