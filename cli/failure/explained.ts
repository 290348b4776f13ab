/** Why a service could not be reached, in words, and the command to type next. */
export interface Explained {
  why: string;
  next?: string;
}
