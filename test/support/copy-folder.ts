import { cpSync } from "node:fs";

/**
 * Copies a folder with the modes of what is in it, as a daemon asks for of its data. Without a filter Node 22 and 24 give copied
 * folders the modes of new ones.
 */
export function copyFolder(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: () => true });
}
