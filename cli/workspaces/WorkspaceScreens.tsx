import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { AdminUser, AdminWorkspace, AdminWorkspaceList } from "../../shared/contract/admin.ts";
import type { WorkspaceListResponse } from "../../shared/contract/identity.ts";
import type { ViewProps } from "../screen/view.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { Facts } from "../screen/Facts.tsx";
import { NextSteps } from "../screen/NextSteps.tsx";
import { Table } from "../screen/Table.tsx";

/** The workspaces that the caller belongs to. */
export function WorkspaceList({ value }: ViewProps<WorkspaceListResponse>): ReactElement {
  return (
    <Box flexDirection="column">
      {value.workspaces.length === 0 ? (
        <Text>No workspaces.</Text>
      ) : (
        <Table
          rows={value.workspaces}
          columns={[
            { title: "workspace", cell: (workspace) => workspace.workspaceId },
            { title: "slug", cell: (workspace) => workspace.slug ?? "" },
          ]}
        />
      )}
      <NextSteps steps={[{ what: "Make one (operator)", command: "mkt workspaces create <name>" }]} />
    </Box>
  );
}

/** All workspaces of a service, as its operator sees them. */
export function AllWorkspaces({ value }: ViewProps<AdminWorkspaceList>): ReactElement {
  return (
    <Box flexDirection="column">
      <Table
        rows={value.items}
        columns={[
          { title: "workspace", cell: (workspace) => workspace.workspaceId },
          { title: "slug", cell: (workspace) => workspace.slug },
          { title: "name", cell: (workspace) => workspace.name, shrinks: "prose", drops: 1 },
        ]}
      />
      <NextSteps steps={[{ what: "Act in one", command: "mkt usage --workspace <slug>" }]} />
    </Box>
  );
}

export function WorkspaceCreated({ value }: ViewProps<AdminWorkspace>): ReactElement {
  const { workspaceId, name, slug } = value;
  return (
    <Box flexDirection="column">
      <Text>{`Made the workspace "${name}".`}</Text>
      <Facts
        facts={[
          ["workspace", workspaceId],
          ["slug", slug],
        ]}
      />
      <NextSteps
        steps={[
          {
            what: "A key for it",
            command: shellLine("mkt", "keys", "create", "--label", "first", "--role", "owner", "--workspace", slug),
          },
          { what: "Money for it", command: shellLine("mkt", "wallet", "credit", "10", "--workspace", slug) },
        ]}
      />
    </Box>
  );
}

export function UserAdded({ value }: ViewProps<AdminUser>): ReactElement {
  return (
    <Box flexDirection="column">
      <Text>{`Added the user "${value.username}".`}</Text>
      <Facts
        facts={[
          ["user", value.userId],
          ["email", value.email],
          ["workspace", value.workspaceId],
        ]}
      />
      <NextSteps
        steps={[
          {
            what: "A key",
            command: shellLine("mkt", "keys", "create", "--label", value.username, "--workspace", value.workspaceId),
          },
        ]}
      />
    </Box>
  );
}
