import { lines } from "./0001-lines.ts";
import { cluster } from "./0010-cluster.ts";
import { documents } from "./0020-documents.ts";
import { reached } from "./0030-reached.ts";
import { move } from "./0040-move.ts";
import { orders } from "./0050-orders.ts";
import { lastGuards } from "./0060-last-guards.ts";
import { endedResourcesTable } from "./0070-ended-resources.ts";
import type { Migration } from "./migration.ts";

/** In the order of their numbers. */
export const migrations: readonly Migration[] = [
  lines,
  cluster,
  documents,
  reached,
  move,
  orders,
  lastGuards,
  endedResourcesTable,
];
