import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { errorText } from "../../shared/error-text.ts";
import { Problem } from "../parts/Shown.tsx";

/** A screen, or a part of one, whose program is loaded when it is shown first. */
export function lazyScreen<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function LazyScreen(props: Props) {
    const [View, setView] = useState<ComponentType<Props> | undefined>(() => loaded);
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
