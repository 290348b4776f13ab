import { useEffect } from "preact/hooks";
import { Button } from "../parts/Button.tsx";
import type { Workspace } from "../service/sign-in.ts";
import { inertText } from "../words/inert-text.ts";

interface ChooseWorkspaceProps {
  readonly workspaces: readonly Workspace[];
  readonly onChoose: (workspace: Workspace) => void;
}

/** For a person of several workspaces, whom the identity provider names no organisation of. A session is of one. */
export function ChooseWorkspace({ workspaces, onChoose }: ChooseWorkspaceProps) {
  useEffect(() => {
    document.title = "Choose a workspace · mkt";
  }, []);
  return (
    <main class="alone">
      <div class="sign-in">
        <h1>Choose a workspace</h1>
        <p>You are in several. To see another one later, sign in again.</p>
        <ul class="choices">
          {workspaces.map((workspace) => (
            <li key={workspace.workspaceId}>
              <Button onPress={() => onChoose(workspace)}>{inertText(workspace.slug ?? workspace.workspaceId)}</Button>
            </li>
          ))}
        </ul>
      </div>
    </main>
  );
}
