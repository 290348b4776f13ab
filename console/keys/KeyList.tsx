import { useState } from "preact/hooks";
import type { ApiKey } from "../../shared/contract/api-keys.ts";
import { roleScopes } from "../../shared/contract/role-scopes.ts";
import { ask } from "../parts/ask.tsx";
import { Button } from "../parts/Button.tsx";
import { Empty } from "../parts/Empty.tsx";
import { TextField } from "../parts/Field.tsx";
import { FormDialog } from "../parts/FormDialog.tsx";
import { Inert } from "../parts/Inert.tsx";
import { Meter } from "../parts/Meter.tsx";
import { PagedTable } from "../parts/PagedTable.tsx";
import { Status } from "../parts/Status.tsx";
import type { Column } from "../parts/Table.tsx";
import { Time } from "../parts/Time.tsx";
import { replaceQuery } from "../page/route.ts";
import { say } from "../page/toasts.ts";
import { api } from "../service/api.ts";
import { caller } from "../service/rights.ts";
import { session } from "../service/session.ts";
import { useLoaded, useReloadOn } from "../service/use-loaded.ts";
import { moneyText, toMicros } from "../words/amounts.ts";
import { inertText } from "../words/inert-text.ts";
import { statusText } from "../words/statuses.ts";
import { mayRename, mayRevoke } from "./key-rights.ts";

interface KeyListProps {
  readonly cursor: string | undefined;
  readonly isRevoked: boolean;
}

/** The keys of the workspace and the sessions of its console, newest first. */
export function KeyList({ cursor, isRevoked }: KeyListProps) {
  const keys = useLoaded(`${isRevoked} ${cursor}`, async (client, signal) =>
    client.listApiKeys({ query: { limit: 50, cursor, ...(isRevoked && { status: ["REVOKED"] }) } }, { signal }),
  );
  useReloadOn(["key", "reset"], keys.reload);
  return (
    <>
      <div class="segments above" role="group" aria-label="Which keys">
        {[false, true].map((revoked) => (
          <button
            key={`${revoked}`}
            type="button"
            aria-pressed={revoked === isRevoked}
            onClick={() => replaceQuery({ status: revoked ? "REVOKED" : undefined, cursor: undefined })}
          >
            {revoked ? "Revoked" : "In use"}
          </button>
        ))}
      </div>
      <PagedTable
        of={keys}
        caption="Keys and sessions, newest first"
        columns={columns(keys.reload)}
        keyOf={({ keyPrefix, createdAt }) => `${keyPrefix} ${createdAt}`}
        at={["keys", "list"]}
        query={isRevoked ? { status: "REVOKED" } : {}}
        cursor={cursor}
        empty={
          isRevoked ? (
            <Empty title="No key was revoked yet." right="revokeApiKey">
              <p>
                To end one at once, press Revoke beside it in <a href="#/keys">those in use</a>.
              </p>
            </Empty>
          ) : (
            <Empty title="There are no keys." command="mkt keys create --label ci" right="createApiKey">
              <p>
                <a href="#/keys/new">Make a key</a>, or type:
              </p>
            </Empty>
          )
        }
      />
    </>
  );
}

function columns(reload: () => void): readonly Column<ApiKey>[] {
  return [
    {
      name: "Key",
      cell: (key) => (
        <span class="two-lines">
          <Inert text={key.label} most={90} />
          <small class="muted">
            {key.keyPrefix}…{isThisSession(key) && " · this tab"}
          </small>
          <NarrowFacts {...key} />
        </span>
      ),
    },
    {
      name: "May",
      from: "medium",
      cell: (key) => <Rights {...key} />,
    },
    { name: "Spent", align: "end", from: "medium", cell: (key) => <Spent {...key} /> },
    { name: "Last used", align: "end", from: "medium", cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
    {
      name: "Ends",
      align: "end",
      from: "wide",
      cell: ({ expiresAt, revokedAt }) => <Time at={revokedAt ?? expiresAt} as="clock" />,
    },
    { name: "Status", from: "wide", cell: ({ status }) => <Status status={status} /> },
    {
      name: "Change",
      hideName: true,
      align: "end",
      cell: (key) => (
        <span class="actions">
          {mayRename(key) && <Rename of={key} reload={reload} />}
          {mayRevoke(key) && <Revoke of={key} reload={reload} />}
        </span>
      ),
    },
  ];
}

/** Its role in a word, and its scopes where they are not those of the role. */
function rightsText({ operator, role, scopes }: ApiKey): string {
  if (operator) return "Operator";
  const usual = role === "owner" ? ["*"] : role && roleScopes[role];
  const isUsual = usual?.every((scope) => (scopes as readonly string[]).includes(scope)) === true;
  if (role !== undefined && isUsual) return statusText(role);
  return `${role === undefined ? "" : `${statusText(role)}: `}${scopes.join(", ")}`;
}

function onlyText({ providers = [], endpoints = [] }: ApiKey): string {
  return (endpoints.length > 0 ? endpoints : providers).join(", ");
}

function Spent({ spendLimit, spending }: ApiKey) {
  if (spendLimit === undefined || spending === undefined) return <span class="muted">–</span>;
  const { spent, held } = spending;
  return (
    <span class="two-lines">
      <Meter
        label={`Spent and held ${limitText(spendLimit)}`}
        share={(spent.value + held.value) / spendLimit.amount.value}
      />
      {spentLines(spendLimit, spending).map((line) => (
        <small key={line} class="muted">
          {line}
        </small>
      ))}
    </span>
  );
}

function limitText({ amount, period }: NonNullable<ApiKey["spendLimit"]>): string {
  return `of ${moneyText(toMicros(amount))} a ${period.toLowerCase()}`;
}

/** What runs in flight hold counts against the limit too: without it, the sum would not explain the bar. */
function spentLines(
  limit: NonNullable<ApiKey["spendLimit"]>,
  { spent, held }: NonNullable<ApiKey["spending"]>,
): readonly string[] {
  const line = `${moneyText(toMicros(spent))} ${limitText(limit)}`;
  return held.value > 0 ? [line, `${moneyText(toMicros(held))} held`] : [line];
}

function Rights(key: ApiKey) {
  return (
    <span class="two-lines">
      {key.session ? "Session of the console" : rightsText(key)}
      {key.session && <small class="muted">acts as the key that opened it</small>}
      {onlyText(key) !== "" && (
        <small class="muted">
          only <Inert text={onlyText(key)} most={120} />
        </small>
      )}
    </span>
  );
}

/** What the columns say that a narrow screen has no room for. */
function NarrowFacts(key: ApiKey) {
  const { spendLimit, spending, lastUsedAt, status } = key;
  return (
    <span class="to-medium two-lines">
      <Rights {...key} />
      <Status status={status} />
      {spendLimit !== undefined && spending !== undefined && (
        <span class="muted">{spentLines(spendLimit, spending).join(", ")}</span>
      )}
      <span class="muted">
        {lastUsedAt === undefined ? (
          "never used"
        ) : (
          <>
            used <Time at={lastUsedAt} />
          </>
        )}
      </span>
    </span>
  );
}

function isThisSession({ keyPrefix, session: isSession }: ApiKey): boolean {
  return isSession === true && session.value?.key.startsWith(keyPrefix) === true;
}

interface ChangeProps {
  readonly of: ApiKey;
  readonly reload: () => void;
}

function Rename({ of, reload }: ChangeProps) {
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const name = inertText(of.label);
  return (
    <>
      <Button label={`Rename ${name}`} onPress={() => setTyped(of.label)}>
        Rename
      </Button>
      {typed !== undefined && (
        <FormDialog
          title={`Rename ${name}`}
          submit="Save"
          onClose={() => setTyped(undefined)}
          onSubmit={async () => {
            const label = typed.trim();
            if (label === "") throw new Error("Give it a name, such as ci.");
            await api().updateApiKey({ params: { label: of.label }, body: { label } });
            reload();
          }}
        >
          <TextField label="Name" help="What it may do stays as it is" value={typed} onInput={setTyped} />
        </FormDialog>
      )}
    </>
  );
}

function Revoke({ of, reload }: ChangeProps) {
  const isOwnKey = of.label === caller.value?.credential?.label;
  const word = of.session ? "End" : "Revoke";
  const name = inertText(of.label);
  const press = async () => {
    const text = isThisSession(of)
      ? "This is the session of this tab: you are signed out."
      : of.session
        ? "Whoever uses it is signed out at once."
        : isOwnKey
          ? "It opened this session, which ends with it. Every program with it is refused at once, for good."
          : "Every program with it is refused at once, for good. Sessions that it opened end with it.";
    if (!(await ask(`${word} ${name}?`, text, word))) return;
    await api().revokeApiKey({ params: { label: of.label } });
    say(of.session ? `The session ${name} has ended.` : `The key ${name} is revoked.`);
    reload();
  };
  return (
    <Button kind="quiet" icon="close" label={`${word} ${name}`} onPress={press}>
      {word}
    </Button>
  );
}
