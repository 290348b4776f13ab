import { useEffect, useState } from "preact/hooks";
import { errorText } from "../shared/error-text.ts";
import { go } from "./page/route.ts";
import { say } from "./page/toasts.ts";
import { ask, Questions } from "./parts/ask.tsx";
import { Problem } from "./parts/Shown.tsx";
import { Toasts } from "./parts/Toasts.tsx";
import { screens } from "./screens.tsx";
import { api } from "./service/api.ts";
import { followLive } from "./service/live.ts";
import { caller } from "./service/rights.ts";
import { session } from "./service/session.ts";
import { type Credential, type Reader, signInWith, type Workspace } from "./service/sign-in.ts";
import { Shell } from "./shell/Shell.tsx";
import { ChooseWorkspace } from "./sign-in/ChooseWorkspace.tsx";
import { SignIn } from "./sign-in/SignIn.tsx";

interface Choice {
  readonly workspaces: readonly Workspace[];
  readonly onChoose: (workspace: Workspace) => void;
}

/** Signs in first, asks who that is, then shows the screen that the address names. */
export function App({ credential }: { readonly credential: Credential | undefined }) {
  const [isTaking, setTaking] = useState(credential !== undefined);
  const [refused, setRefused] = useState<string | undefined>(undefined);
  const [choice, setChoice] = useState<Choice | undefined>(undefined);
  useEffect(() => {
    if (credential === undefined) return;
    const reader: Reader = {
      confirm: async () => await ask("Sign in with this address?", WHOSE_ADDRESS, "Sign in"),
      choose: async (workspaces) => await new Promise((onChoose) => setChoice({ workspaces, onChoose })),
    };
    void signInWith(credential, reader)
      .then((place) => place !== undefined && go(place))
      .catch((error: unknown) => {
        setRefused(errorText(error));
        // Whoever is signed in already stays so, and hears of it.
        if (session.value !== undefined) say(errorText(error), "bad");
      })
      .finally(() => setTaking(false));
  }, [credential]);

  const page = () => {
    if (!isTaking) return session.value === undefined ? <SignIn refused={refused} /> : <SignedIn />;
    return choice === undefined ? <Opening /> : <ChooseWorkspace {...choice} />;
  };
  return (
    <>
      {page()}
      <Questions />
      <Toasts />
    </>
  );
}

/** Where the browser does not say who opened the page, only its reader knows. */
const WHOSE_ADDRESS =
  "Go on only if you opened it yourself, with mkt console. The link of somebody else signs you in to their workspace, where they read what you do.";

function SignedIn() {
  const key = session.value?.key;
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [round, setRound] = useState(0);
  useEffect(() => {
    setProblem(undefined);
    caller.value = undefined;
    api()
      .whoami()
      .then((whoami) => (caller.value = whoami))
      .catch((error: unknown) => setProblem(errorText(error)));
  }, [key, round]);
  useEffect(() => followLive(), [key]);

  if (problem !== undefined) {
    return (
      <main class="alone">
        <Problem text={problem} onRetry={() => setRound(round + 1)} />
      </main>
    );
  }
  return caller.value === undefined ? <Opening /> : <Shell screens={screens} />;
}

function Opening() {
  return (
    <main class="alone" aria-busy="true">
      <p class="muted">Opening the console …</p>
    </main>
  );
}
