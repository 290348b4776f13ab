/** A list of the screen, on the page that `cursor` names. */
export interface ListProps {
  readonly cursor: string | undefined;
  /** The id of the one that is shown by itself, where the list has such a view. */
  readonly one?: string | undefined;
}
