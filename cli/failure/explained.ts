/** Why a service could not be spoken to, in words, and the command to type next. */
export interface Explained {
  why: string;
  next?: string;
}
