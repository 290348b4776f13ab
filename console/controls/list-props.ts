/** A list of the screen, on the page that `cursor` names. */
export interface ListProps {
  readonly cursor: string | undefined;
}
