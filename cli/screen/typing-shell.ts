import { createContext, useContext } from "react";
import type { Shell } from "../../shared/hints/shell-words.ts";

/** The shell that the commands on a screen are typed into. */
export const TypingShell = createContext<Shell>("posix");

export function useTypingShell(): Shell {
  return useContext(TypingShell);
}
