import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Problem } from "../parts/Shown.tsx";
import { errorText } from "../service/api.ts";
import type { ScreenProps } from "./screen-entry.ts";

/** A screen whose program is loaded when it is opened first. */
export function lazyScreen(load: () => Promise<ComponentType<ScreenProps>>): ComponentType<ScreenProps> {
  let loaded: ComponentType<ScreenProps> | undefined;
  return function LazyScreen(props: ScreenProps) {
    const [View, setView] = useState<ComponentType<ScreenProps> | undefined>(() => loaded);
    const [problem, setProblem] = useState<string | undefined>(undefined);
    useEffect(() => {
      if (loaded !== undefined) return;
      load()
        .then((view) => {
          loaded = view;
          setView(() => view);
        })
        .catch((error: unknown) => setProblem(errorText(error)));
    }, []);
    if (problem !== undefined) return <Problem text={problem} onRetry={() => location.reload()} />;
    return View === undefined ? <div class="waiting" aria-busy="true" /> : <View {...props} />;
  };
}
