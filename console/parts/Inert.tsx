import { inertText } from "../words/inert-text.ts";

interface InertProps {
  readonly text: string;
  /** So many characters at most; the title has more of it. */
  readonly most?: number;
}

/** A text that others wrote: its own direction, nothing hidden in it, no markup. */
export function Inert({ text, most = 300 }: InertProps) {
  const isCut = text.length > most;
  const shown = inertText(isCut ? `${text.slice(0, most)}…` : text);
  return <bdi {...(isCut && { title: inertText(text.slice(0, 1_000)) })}>{shown}</bdi>;
}
