import { errorText } from "../../shared/error-text.ts";
import type { CliContext } from "./context.ts";

/** Says once, on stderr, that the service is overloaded and that the request is repeated. */
export function busyNote({ output }: Pick<CliContext, "output">): (error: unknown) => Promise<void> {
  let isSaid = false;
  return async (error) => {
    if (isSaid) return;
    isSaid = true;
    const message = errorText(error);
    await output.note(`${message.endsWith(".") ? message : `${message}.`} Retrying automatically.`);
  };
}
