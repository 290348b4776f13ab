import type { AdminWorkspace } from "../../shared/contract/admin.ts";
import { Copied } from "../parts/Copied.tsx";
import { Facts } from "../parts/Facts.tsx";
import { Choice } from "../parts/Field.tsx";
import { Inert } from "../parts/Inert.tsx";
import { Section } from "../parts/Screen.tsx";
import { Shown } from "../parts/Shown.tsx";
import { type Column, Table } from "../parts/Table.tsx";
import { Time } from "../parts/Time.tsx";
import { TextForm } from "../parts/TextForm.tsx";
import { say } from "../page/toasts.ts";
import { api } from "../service/api.ts";
import { caller, isOperator, may } from "../service/rights.ts";
import { useLoaded } from "../service/use-loaded.ts";
import { moneyText, toMicros } from "../words/amounts.ts";
import { inertText } from "../words/inert-text.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { statusText } from "../words/statuses.ts";
import { useState } from "preact/hooks";

/** `#/keys/people`: who one is, and the workspaces; an operator makes some, and adds people to them. */
export function People() {
  /** Counts the people that were added here. */
  const [round, setRound] = useState(0);
  return (
    <>
      <You />
      {may("listPeople") && <Members round={round} />}
      {isOperator.value ? <AllWorkspaces onAdded={() => setRound(round + 1)} /> : <OwnWorkspaces />}
    </>
  );
}

function You() {
  const { user, workspace, credential, identities = [] } = caller.value ?? {};
  const { spendLimit } = credential ?? {};
  return (
    <Section title="You">
      <Facts
        facts={[
          ["Person", user && <Inert text={user.username} />],
          ["Mail", user?.email && <Inert text={user.email} />],
          ["Known to", identities.length === 0 ? undefined : identities.map(({ provider }) => provider).join(", ")],
          ["Workspace", workspace && <Inert text={workspace.name} />],
          ["Key", credential?.label && <Inert text={credential.label} />],
          ["Role", credential?.operator ? "Operator" : credential?.role && statusText(credential.role)],
          ["Scopes", credential?.scopes.join(", ")],
          [
            "Spends at most",
            spendLimit && `${moneyText(toMicros(spendLimit.amount))} a ${spendLimit.period.toLowerCase()}`,
          ],
        ]}
      />
    </Section>
  );
}

function Members({ round }: { readonly round: number }) {
  const people = useLoaded(`${round}`, async (client, signal) => client.listPeople({}, { signal }));
  const own = caller.value?.user.userId;
  return (
    <Section title="In this workspace">
      <Shown of={people}>
        {({ items }) => (
          <Table
            caption="People of this workspace"
            columns={[
              {
                name: "Person",
                cell: ({ username, userId }) => (
                  <>
                    <Inert text={username} most={90} />
                    {userId === own && <span class="muted"> · you</span>}
                  </>
                ),
              },
              { name: "Known since", align: "end", cell: ({ createdAt }) => <Time at={createdAt} as="clock" /> },
            ]}
            rows={items}
            keyOf={({ userId }) => userId}
          />
        )}
      </Shown>
    </Section>
  );
}

function OwnWorkspaces() {
  const workspaces = useLoaded("own", async (client, signal) => client.listWorkspaces({}, { signal }));
  return (
    <Section title="Your workspaces">
      <Shown of={workspaces}>
        {(value) => (
          <Table
            caption="Your workspaces"
            columns={[
              { name: "Workspace", cell: ({ slug, workspaceId }) => <Inert text={slug ?? workspaceId} /> },
              { name: "Id", cell: ({ workspaceId }) => <code>{inertText(workspaceId)}</code> },
            ]}
            rows={value.workspaces}
            keyOf={({ workspaceId }) => workspaceId}
          />
        )}
      </Shown>
    </Section>
  );
}

const columns: readonly Column<AdminWorkspace>[] = [
  { name: "Workspace", cell: ({ name }) => <Inert text={name} most={90} /> },
  { name: "Slug", from: "medium", cell: ({ slug }) => inertText(slug) },
  { name: "Id", cell: ({ workspaceId }) => <code>{inertText(workspaceId)}</code> },
];

function AllWorkspaces({ onAdded }: { readonly onAdded: () => void }) {
  const workspaces = useLoaded("all", async (client, signal) => client.listAdminWorkspaces({}, { signal }));
  return (
    <>
      <Section title="Workspaces">
        <TextForm
          submit="Make a workspace"
          fields={[{ name: "name", label: "Name of the workspace", placeholder: "Research" }]}
          onSubmit={async ({ name }, headers) => {
            await api().createAdminWorkspace({ body: { name } }, { headers });
            say("The workspace is made.");
            workspaces.reload();
          }}
        />
        <Shown of={workspaces}>
          {({ items }) => (
            <Table
              caption="All workspaces of this service"
              columns={columns}
              rows={items}
              keyOf={({ workspaceId }) => workspaceId}
            />
          )}
        </Shown>
      </Section>
      <Shown of={workspaces}>{({ items }) => <AddPerson workspaces={items} onAdded={onAdded} />}</Shown>
    </>
  );
}

interface AddPersonProps {
  readonly workspaces: readonly AdminWorkspace[];
  readonly onAdded: () => void;
}

/** A person acts by keys: the one for the first is made at the command line, since it is to last. */
function AddPerson({ workspaces, onAdded }: AddPersonProps) {
  const own = caller.value?.workspace?.workspaceId ?? "";
  const [workspaceId, setWorkspaceId] = useState(own);
  const slug = workspaces.find((one) => one.workspaceId === workspaceId)?.slug ?? workspaceId;
  return (
    <Section title="Add a person">
      <TextForm
        submit="Add a person"
        fields={[
          { name: "username", label: "Name of the person", placeholder: "ada" },
          { name: "email", label: "Mail", placeholder: "ada@example.com", help: "Not needed", optional: true },
        ]}
        onSubmit={async ({ username, email }, headers) => {
          const body = { username, workspaceId, ...(email !== "" && { email }) };
          await api().createAdminUser({ body }, { headers });
          say(`${inertText(username)} is added.`);
          onAdded();
        }}
      >
        <Choice
          label="To the workspace"
          value={workspaceId}
          options={workspaces.map((one) => [one.workspaceId, inertText(one.name)])}
          onChoose={setWorkspaceId}
        />
      </TextForm>
      <p class="below">People act by keys. For one of this workspace, type:</p>
      <Copied
        text={shellLine("mkt", "keys", "create", "--label", "first", "--role", "owner", "--workspace", slug)}
        label="Command"
      />
    </Section>
  );
}
