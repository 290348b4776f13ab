import { useEffect, useState } from "preact/hooks";
import type { ConsoleSignIn } from "../../shared/contract/console.ts";
import { Button } from "../parts/Button.tsx";
import { Copied } from "../parts/Copied.tsx";
import { Problem } from "../parts/Shown.tsx";
import { beginLogin, providerOf } from "../service/provider-login.ts";
import { signedOutBecause } from "../service/session.ts";
import { readWay } from "../service/sign-in.ts";

/** How to get in: a ticket of the command line, or the identity provider where there is one. */
export function SignIn({ refused }: { readonly refused: string | undefined }) {
  const [way, setWay] = useState<ConsoleSignIn | undefined>(undefined);
  useEffect(() => {
    document.title = "Sign in · mkt";
    void readWay().then(setWay);
  }, []);
  const why = refused ?? signedOutBecause.value;
  const provider = way && providerOf(way);
  return (
    <main class="alone">
      <div class="sign-in">
        <svg class="mark" viewBox="0 0 16 16" width="40" height="40" aria-hidden="true">
          <rect width="16" height="16" rx="4" />
          <path d="M4 11.5v-7l4 4 4-4v7" />
        </svg>
        <h1>Sign in to the console</h1>
        {why !== undefined && <Problem text={why} />}
        {provider !== undefined && (
          <>
            <p>Your organization's identity provider says who you are.</p>
            <Button kind="primary" onPress={async () => await beginLogin(provider)}>
              Continue to {new URL(provider.issuer).host}
            </Button>
            <p class="muted">With a key of the command line instead:</p>
          </>
        )}
        {way?.problem !== undefined && (
          <p class="muted">
            The identity provider cannot be used now. Who runs the service finds out why with mkt doctor.
          </p>
        )}
        {way !== undefined && provider === undefined && (
          <p>Where the command line is set up, it opens this page signed in:</p>
        )}
        {way !== undefined && <Copied text="mkt console" label="Command" />}
        <p class="muted">The link works once, within a minute. The session ends when this tab is closed.</p>
      </div>
    </main>
  );
}
