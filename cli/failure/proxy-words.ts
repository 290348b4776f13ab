import { ProxyError } from "../../shared/client/proxy-error.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import type { Explained } from "./explained.ts";

/** What is wrong with the proxy; undefined when something else is. */
export function explainProxy(address: string, thrown: unknown): Explained | undefined {
  if (!(thrown instanceof ProxyError)) return undefined;
  const why = `${thrown.message[0]?.toUpperCase()}${thrown.message.slice(1)}.`;
  if (thrown.status === 407) {
    return {
      why: `${why} It requires a user name and a password.`,
      next: `export ${thrown.from}=http://<user>:<password>@<proxy>`,
    };
  }
  const { hostname } = new URL(address);
  return {
    why: `${why} To reach ${hostname} without it, add the host to NO_PROXY.`,
    next: `export ${shellLine(`NO_PROXY=${hostname}`)}`,
  };
}
