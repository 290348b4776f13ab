import { Text } from "ink";
import { createContext, type ReactElement, useContext } from "react";

/**
 * Takes a text out of what is laid out, and gives the one character that stands for it until the screen is drawn. Without
 * one, as where a screen is drawn again and again, the text is laid out with all else.
 */
export const KeepVerbatim = createContext<((text: string) => string) | undefined>(undefined);

/**
 * Lines as they are: a terminal breaks what is too long for it, and they are copied whole. Ink would take minutes to lay out
 * tens of thousands.
 */
export function Verbatim({ text }: { text: string }): ReactElement {
  const keep = useContext(KeepVerbatim);
  return <Text>{keep === undefined ? text : keep(text)}</Text>;
}
