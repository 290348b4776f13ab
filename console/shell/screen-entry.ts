import type { ComponentType } from "preact";
import type { IconName } from "../parts/Icon.tsx";
import type { Route } from "../page/route.ts";

export interface ScreenProps {
  readonly route: Route;
}

/** A place of the navigation. */
export interface ScreenEntry {
  /** The first part of its addresses. */
  readonly id: string;
  readonly name: string;
  readonly icon: IconName;
  /** Whether the key may do anything there. */
  readonly isOpen: () => boolean;
  readonly view: ComponentType<ScreenProps>;
}
