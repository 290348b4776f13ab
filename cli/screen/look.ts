import { createContext, useContext } from "react";

/** How the screen that is drawn has to look, for the parts that screens are made of. */
export interface Look {
  /** Width of the screen. */
  readonly columns: number;
  /** One thing a line, its name before it: see `TerminalLook`. */
  readonly linear: boolean;
}

export const LookContext = createContext<Look>({ columns: 80, linear: false });

export function useLook(): Look {
  return useContext(LookContext);
}
