import type { CatalogProviderStatus } from "../../shared/contract/admin.ts";
import type { SecretVerdict } from "../../shared/contract/secret-verdicts.ts";
import { href, replaceQuery } from "../page/route.ts";
import { Button } from "../parts/Button.tsx";
import { Empty } from "../parts/Empty.tsx";
import { Inert } from "../parts/Inert.tsx";
import { Shown } from "../parts/Shown.tsx";
import { Status } from "../parts/Status.tsx";
import { type Column, Table } from "../parts/Table.tsx";
import { Time } from "../parts/Time.tsx";
import { useLoaded, useReloadOn } from "../service/use-loaded.ts";
import { countText } from "../words/amounts.ts";
import { inertText } from "../words/inert-text.ts";
import { grant, testSecrets } from "./grant-actions.ts";

/** Most providers of a large catalog wait for secrets that nobody here needs. */
const MOST = 100;
const SHOWN = [
  ["", "To do"],
  ["set", "Set"],
  ["all", "All"],
] as const;

/** `#/catalog/setup?show=all`: which providers have what they ask for, and which do not. */
export function SecretsAndGrants({ query }: { readonly query: URLSearchParams }) {
  const show = SHOWN.find(([id]) => id === query.get("show"))?.[0] ?? "";
  const setup = useLoaded("setup", async (client, signal) => {
    const [{ providers }, { items }] = await Promise.all([
      client.getAdminCatalog({}, { signal }),
      client.listSecretVerdicts({}, { signal }),
    ]);
    return { providers, verdicts: new Map(items.map((verdict) => [verdict.provider, verdict])) };
  });
  useReloadOn(["catalog", "secret", "reset"], setup.reload);
  return (
    <>
      <div class="filters">
        <div class="segments" role="group" aria-label="Which providers">
          {SHOWN.map(([id, name]) => (
            <button key={id} type="button" aria-pressed={show === id} onClick={() => replaceQuery({ show: id })}>
              {name}
            </button>
          ))}
        </div>
      </div>
      <Shown of={setup}>
        {({ providers, verdicts }) => {
          const asking = providers.filter(asksForSomething);
          const rows = asking.filter(filters[show](verdicts)).toSorted(byUrgency(verdicts));
          return rows.length === 0 ? (
            <Nothing show={show} isAnyAsking={asking.length > 0} />
          ) : (
            <>
              <Table
                caption="Providers that ask for secrets or grants"
                columns={columnsFor(verdicts, setup.reload)}
                rows={rows.slice(0, MOST)}
                keyOf={({ provider }) => provider}
              />
              {rows.length > MOST && (
                <p class="below">
                  The first {countText(MOST)} of {countText(rows.length)}. All of them: <code>mkt catalog list</code>
                </p>
              )}
            </>
          );
        }}
      </Shown>
    </>
  );
}

type Verdicts = ReadonlyMap<string, SecretVerdict>;

function asksForSomething({ grant: { variables, privateHosts } }: CatalogProviderStatus): boolean {
  return variables.length > 0 || privateHosts.length > 0;
}

function isToDo({ needsGrant, missingSecrets, secretVerdict }: CatalogProviderStatus): boolean {
  return needsGrant || missingSecrets.length > 0 || secretVerdict === "failing";
}

const filters = {
  "": () => isToDo,
  set: (verdicts: Verdicts) => (status: CatalogProviderStatus) => verdicts.has(status.provider),
  all: () => () => true,
} as const;

/** Refused secrets first, then grants, then what is only missing; each by name. */
function byUrgency(verdicts: Verdicts) {
  const rank = ({ provider, needsGrant, missingSecrets }: CatalogProviderStatus) => {
    if (verdicts.get(provider)?.verdict === "failing") return 0;
    if (needsGrant) return 1;
    return missingSecrets.length > 0 ? 2 : 3;
  };
  return (a: CatalogProviderStatus, b: CatalogProviderStatus) =>
    rank(a) - rank(b) || a.displayName.localeCompare(b.displayName);
}

function columnsFor(verdicts: Verdicts, reload: () => void): readonly Column<CatalogProviderStatus>[] {
  return [
    {
      name: "Provider",
      cell: ({ provider, displayName }) => (
        <a class="row-link" href={href(["catalog", "providers", provider])}>
          <Inert text={displayName} most={60} />
        </a>
      ),
    },
    {
      name: "Asks for",
      from: "medium",
      cell: ({ grant: { variables, privateHosts } }) => (
        <Inert text={[...variables, ...privateHosts].join(", ")} most={120} />
      ),
    },
    {
      name: "State",
      cell: (status) => <State status={status} verdict={verdicts.get(status.provider)} />,
    },
    {
      name: "What to do",
      hideName: true,
      align: "end",
      cell: (status) => <Action status={status} verdict={verdicts.get(status.provider)} reload={reload} />,
    },
  ];
}

interface RowProps {
  readonly status: CatalogProviderStatus;
  readonly verdict: SecretVerdict | undefined;
}

function State({ status: { needsGrant, missingSecrets }, verdict }: RowProps) {
  if (needsGrant) return <Status status="Not granted" tone="warn" />;
  if (missingSecrets.length > 0) {
    return (
      <>
        <Status status="Missing" tone="warn" />
        <small class="muted second-line">
          <Inert text={missingSecrets.map(({ env }) => env).join(", ")} most={80} />
        </small>
      </>
    );
  }
  if (verdict === undefined) return <Status status="Granted" tone="good" />;
  return (
    <>
      <Status
        status={verdict.verdict === "unknown" ? "Set, not tried" : verdict.verdict}
        tone={TONES[verdict.verdict]}
      />
      {verdict.at !== undefined && (
        <small class="muted second-line">
          <Time at={verdict.at} />
        </small>
      )}
    </>
  );
}

const TONES = { works: "good", failing: "bad", unknown: "quiet" } as const;

function Action({ status, verdict, reload }: RowProps & { readonly reload: () => void }) {
  const { provider, displayName, needsGrant, missingSecrets } = status;
  if (needsGrant) {
    return (
      <Button
        label={`Grant ${inertText(displayName)} what it asks for`}
        onPress={async () => {
          if (await grant(provider, status.grant)) reload();
        }}
      >
        Grant
      </Button>
    );
  }
  const [first] = missingSecrets;
  if (first !== undefined) return <code>{inertText(`mkt secrets set ${first.env}`)}</code>;
  if (verdict?.canBeTested !== true) return null;
  return (
    <Button
      label={`Test the secrets of ${inertText(displayName)}`}
      onPress={async () => {
        await testSecrets(provider);
        reload();
      }}
    >
      Test
    </Button>
  );
}

function Nothing({ show, isAnyAsking }: { readonly show: (typeof SHOWN)[number][0]; readonly isAnyAsking: boolean }) {
  if (!isAnyAsking) {
    return (
      <Empty title="No provider asks for a secret or a grant.">
        <p>Press Import to add a provider of your own.</p>
      </Empty>
    );
  }
  return show === "set" ? (
    <Empty title="No secret is set." command="mkt secrets set ACME_API_KEY">
      <p>Values are typed at the command line, which hides them:</p>
    </Empty>
  ) : (
    <Empty title="Nothing is to do: all that was asked for is there.">
      <p>Press All to see every provider that asks for something.</p>
    </Empty>
  );
}
