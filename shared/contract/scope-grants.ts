/** Whether these grants cover `needed`; a needed `runs:*` or `*` requires all of it. docs/contract.md, "Scopes". */
export function grants(scopes: readonly string[], needed: string): boolean {
  const [resource] = needed.split(":");
  return scopes.includes("*") || scopes.includes(needed) || (needed !== "*" && scopes.includes(`${resource}:*`));
}
