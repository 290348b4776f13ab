import { grants } from "../../shared/contract/scope-grants.ts";
import { Scope, type ScopeCatalog } from "../../shared/contract/scopes.ts";

const RESOURCES = {
  runs: ["Runs", "Running endpoints and reading the results"],
  resources: ["Resources", "Durable objects that runs created at providers"],
  wallet: ["Wallet", "The balance of the workspace"],
  topups: ["Top-ups", "Putting money into the wallet"],
  controls: ["Controls", "Budgets and run caps"],
  api_keys: ["API keys", "Keys of the workspace"],
} as const;

const ACTIONS = ["read", "create", "update", "delete"] as const;

type ResourceKey = keyof typeof RESOURCES;

/** The first requested grant that is not covered by those held; undefined when all are. */
export function findExcess(held: readonly string[], wanted: readonly string[]): string | undefined {
  return wanted.find((scope) => !grants(held, scope));
}

/** Keeps the scopes that the contract knows, in its order: records contain plain text. */
export function toScopes(texts: readonly string[]): Scope[] {
  return Scope.options.filter((scope) => texts.includes(scope));
}

/** Every pair that a route needs, with descriptions for people. */
export function scopeCatalog(): ScopeCatalog {
  const keys = Object.keys(RESOURCES) as ResourceKey[];
  return {
    resources: keys.map((key) => {
      const [label, description] = RESOURCES[key];
      const actions = ACTIONS.filter((action) => isScope(`${key}:${action}`));
      return {
        key,
        label,
        description,
        actions: actions.map((action) => ({ key: action, description: `${action} ${label.toLowerCase()}` })),
      };
    }),
  };
}

function isScope(text: string): boolean {
  return Scope.safeParse(text).success;
}
