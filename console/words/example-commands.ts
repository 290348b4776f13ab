/** The run that empty places propose: it needs no secret and costs a tenth of a cent. */
export const EXAMPLE_RUN = "mkt run atlas/sun latitude=52.5 longitude=13.4";
