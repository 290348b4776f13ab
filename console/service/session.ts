import { signal } from "@preact/signals";

/** Who the page speaks as. In this tab only: closing it forgets the key, and no other page can read it. */
export interface Session {
  readonly key: string;
  readonly expiresAt?: string | undefined;
}

const STORED = "mkt.session";

export const session = signal<Session | undefined>(readSession());
/** Why there is none any more, for the page that asks to sign in. */
export const signedOutBecause = signal<string | undefined>(undefined);

export function beginSession(begun: Session): void {
  sessionStorage.setItem(STORED, JSON.stringify(begun));
  signedOutBecause.value = undefined;
  session.value = begun;
}

export function endSession(because?: string): void {
  sessionStorage.removeItem(STORED);
  signedOutBecause.value = because;
  session.value = undefined;
}

function readSession(): Session | undefined {
  try {
    const read = JSON.parse(sessionStorage.getItem(STORED) ?? "null") as Session | null;
    return typeof read?.key === "string" ? read : undefined;
  } catch {
    return undefined;
  }
}
