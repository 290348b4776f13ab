import { ask } from "../parts/ask.tsx";
import { say } from "../page/toasts.ts";
import { api } from "../service/api.ts";
import { inertText } from "../words/inert-text.ts";

/** What a provider's file asks for. */
export interface Asks {
  readonly origin: string;
  readonly variables: readonly string[];
  readonly privateHosts: readonly string[];
}

/** `ACME_KEY, and the private host 10.0.0.5:80, for https://api.acme.example`. */
export function asksText({ origin, variables, privateHosts }: Asks): string {
  const what = [
    ...(variables.length === 0 ? [] : [`the secrets ${variables.join(", ")}`]),
    ...(privateHosts.length === 0 ? [] : [`the private addresses ${privateHosts.join(", ")}`]),
  ];
  return inertText(`${what.join(", and ")}, for calls to ${origin.replaceAll(" ", " and ")}`);
}

/** Resolves with whether it was granted. */
export async function grant(provider: string, asks: Asks): Promise<boolean> {
  const text = `Its file asks for ${asksText(asks)}. Who wrote the file gets what the secrets allow.`;
  if (!(await ask(`Grant ${inertText(provider)} this?`, text, "Grant"))) return false;
  await api().createGrant({ body: { provider } });
  say(`Granted to ${inertText(provider)}.`);
  return true;
}

/** Resolves with whether it was withdrawn. */
export async function withdraw(provider: string): Promise<boolean> {
  const text = "It cannot be run any more until it is granted again. Runs that go on keep what they read.";
  if (!(await ask(`Withdraw the grant of ${inertText(provider)}?`, text, "Withdraw"))) return false;
  await api().deleteGrant({ params: { provider } });
  say(`Withdrawn from ${inertText(provider)}.`);
  return true;
}

const VERDICTS = { works: "The secrets work.", failing: "The secrets are refused.", unknown: "Nothing was learned." };

/** Calls the provider for free, as its file says. */
export async function testSecrets(provider: string): Promise<void> {
  const { verdict, httpStatus } = await api().testSecrets({ params: { provider } });
  const told = httpStatus === undefined ? "" : ` The provider answered ${httpStatus}.`;
  say(`${inertText(provider)}: ${VERDICTS[verdict]}${told}`, verdict === "failing" ? "bad" : "good");
}
