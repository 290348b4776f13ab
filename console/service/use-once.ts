import { useRef } from "preact/hooks";

export interface Once {
  readonly headers: { readonly "idempotency-key": string };
  /** What was asked for is done: the same content again is something new. */
  readonly done: () => void;
}

/**
 * Sends the same content under the same key until it is done: pressing again after an answer was lost, or twice at once,
 * does it once. docs/contract.md, "Idempotency"
 */
export function useOnce(content: string): Once {
  const keys = useRef(new Map<string, string>());
  const key = keys.current.get(content) ?? crypto.randomUUID();
  return {
    get headers() {
      keys.current.set(content, key);
      return { "idempotency-key": key };
    },
    done: () => void keys.current.delete(content),
  };
}
