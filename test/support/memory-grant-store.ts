import type { Grant, GrantStore } from "../../daemon/catalog/grants/grants.ts";

/** Grants that end with the test. */
export class MemoryGrantStore implements GrantStore {
  #grants: readonly Grant[] = [];

  list(): readonly Grant[] {
    return this.#grants;
  }

  async put(grant: Grant): Promise<void> {
    this.#grants = [...this.#grants.filter(({ provider }) => provider !== grant.provider), grant];
  }

  async remove(provider: string): Promise<boolean> {
    const before = this.#grants;
    this.#grants = before.filter((grant) => grant.provider !== provider);
    return this.#grants.length < before.length;
  }
}
