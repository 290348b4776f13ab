import { z } from "zod";
import { WorkspaceListResponse } from "../../../shared/contract/identity.ts";
import { defineTool, readsOnly } from "../tool.ts";

export const workspacesTool = defineTool({
  name: "workspaces",
  title: "List workspaces",
  description: "The workspaces that the credential belongs to; an API key has exactly one. Free.",
  annotations: readsOnly,
  input: z.object({}),
  output: WorkspaceListResponse,
  async call(_, { connect, signal }) {
    const list = await (await connect()).listWorkspaces({}, { signal });
    const words = list.workspaces.map(({ workspaceId, slug }) =>
      slug === null ? workspaceId : `${workspaceId} (${slug})`,
    );
    const lines =
      words.length === 0
        ? ["The credential belongs to no workspace; a person can look with: mkt whoami"]
        : [...words, "Where there are several, other tools take workspaceId."];
    return { lines, value: list };
  },
});
