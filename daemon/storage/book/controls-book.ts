import type { WorkspaceId } from "../../base/ids.ts";
import type { ControlLine } from "../../ledger/lines/control-lines.ts";
import type { ControlRecord } from "../../ledger/records/control-records.ts";

/** Budgets and run caps: workspace id → control id → control, in the order of creation. */
export interface ControlsBook {
  readonly byWorkspace: Map<string, Map<string, ControlRecord>>;
}

export function emptyControlsBook(): ControlsBook {
  return { byWorkspace: new Map() };
}

export function applyControl(book: ControlsBook, line: ControlLine): void {
  const own = book.byWorkspace.get(line.ws) ?? new Map<string, ControlRecord>();
  book.byWorkspace.set(line.ws, own);
  if (line.t === "control.deleted") own.delete(line.controlId);
  else own.set(line.control.controlId, line.control);
}

export function listControls(book: ControlsBook, workspaceId: WorkspaceId): ControlRecord[] {
  return [...(book.byWorkspace.get(workspaceId)?.values() ?? [])];
}
