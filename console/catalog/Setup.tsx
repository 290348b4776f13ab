import type { CatalogProviderView, CatalogSetup } from "../../shared/contract/catalog-views.ts";
import { Button } from "../parts/Button.tsx";
import { Copied } from "../parts/Copied.tsx";
import { Facts } from "../parts/Facts.tsx";
import { Inert } from "../parts/Inert.tsx";
import { Section } from "../parts/Screen.tsx";
import { Status } from "../parts/Status.tsx";
import { Time } from "../parts/Time.tsx";
import { inertText } from "../words/inert-text.ts";
import { asksText, grant, testSecrets, withdraw } from "./grant-actions.ts";

interface SetupProps {
  readonly view: CatalogProviderView;
  readonly setup: CatalogSetup;
  readonly onChange: () => void;
}

/** Its secrets and its grant, for operators. Values are never shown, and are typed at the command line alone. */
export function Setup({ view: { provider }, setup, onChange }: SetupProps) {
  const { secrets, file, trusted, needsGrant, grantedAt, asks, verdict } = setup;
  const asksForMore = asks.variables.length > 0 || asks.privateHosts.length > 0;
  const missing = secrets.filter(({ state }) => state === "missing");
  const change = async (work: () => Promise<boolean>) => {
    if (await work()) onChange();
  };
  return (
    <>
      <Section title="Secrets">
        {secrets.length === 0 ? (
          <p class="muted">It needs none.</p>
        ) : (
          <>
            <ul class="plain-list">
              {secrets.map(({ name, state, description }) => (
                <li key={name}>
                  <code>
                    <Inert text={name} most={80} />
                  </code>
                  <SecretState state={state} />
                  {description !== undefined && (
                    <small class="muted second-line">
                      <Inert text={description} most={200} />
                    </small>
                  )}
                </li>
              ))}
            </ul>
            {missing.map(({ name }) => (
              <Copied
                key={name}
                text={inertText(`mkt secrets set ${name}`)}
                label={`The command that sets ${inertText(name)}`}
              />
            ))}
            {verdict !== undefined && (
              <p class="verdict">
                <Status status={verdict.verdict} />
                <span class="muted">
                  {verdict.at === undefined ? (
                    "not tried yet"
                  ) : (
                    <>
                      seen <Time at={verdict.at} />
                    </>
                  )}
                </span>
                {verdict.canBeTested ? (
                  <Button
                    onPress={async () => {
                      await testSecrets(provider);
                      onChange();
                    }}
                  >
                    Test them
                  </Button>
                ) : (
                  <span class="muted">Its file names no free call that would test them.</span>
                )}
              </p>
            )}
          </>
        )}
      </Section>
      <Section title="Grant">
        {!asksForMore ? (
          <p class="muted">Its file asks for nothing.</p>
        ) : (
          <>
            <p>Its file asks for {asksText(asks)}.</p>
            <p class="verdict">
              {trusted ? (
                <span class="muted">Its folder is trusted: no grant is needed.</span>
              ) : needsGrant ? (
                <>
                  <Status status="Not granted" tone="warn" />
                  <Button kind="primary" onPress={async () => await change(async () => await grant(provider, asks))}>
                    Grant
                  </Button>
                </>
              ) : (
                <>
                  <Status status="Granted" tone="good" />
                  {grantedAt === undefined ? (
                    <span class="muted">by the daemon's settings</span>
                  ) : (
                    <>
                      <span class="muted">
                        <Time at={grantedAt} />
                      </span>
                      <Button kind="danger" onPress={async () => await change(async () => await withdraw(provider))}>
                        Withdraw
                      </Button>
                    </>
                  )}
                </>
              )}
            </p>
          </>
        )}
        <Facts facts={[["File", <Inert text={file} most={300} />]]} />
      </Section>
    </>
  );
}

const STATES = {
  set: ["Set", "good"],
  missing: ["Missing", "warn"],
  optional: ["Not set, not needed", "quiet"],
  notRead: ["Not read before the grant", "quiet"],
} as const;

function SecretState({ state }: Pick<CatalogSetup["secrets"][number], "state">) {
  const [words, tone] = STATES[state];
  return <Status status={words} tone={tone} />;
}
