import type { MessagePort } from "node:worker_threads";
import { errorText } from "../../../../shared/error-text.ts";
import { nodeFiles } from "../../files.ts";
import { JournalCorrupt } from "../../storage-errors.ts";
import type { SegmentSpan } from "../segments/segment.ts";
import { buildIndex } from "./segment-index.ts";

export interface IndexQuestion {
  /** Folder of the segments. */
  readonly folder: string;
  readonly span: SegmentSpan;
}

export type IndexReply =
  | { readonly kind: "made"; readonly bytes: Uint8Array }
  | { readonly kind: "corrupt"; readonly file: string; readonly offset: number; readonly why: string }
  | { readonly kind: "failed"; readonly message: string };

/** Makes the index that each message asks for, and writes nothing: that is for whoever holds the lock. */
export function serveIndexMaking(port: MessagePort): void {
  const files = nodeFiles();
  port.on("message", ({ folder, span }: IndexQuestion) => {
    void buildIndex(files, folder, span)
      .then((bytes): IndexReply => ({ kind: "made", bytes }), toReply)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      .then((reply) => port.postMessage(reply));
  });
}

function toReply(error: unknown): IndexReply {
  if (!(error instanceof JournalCorrupt)) return { kind: "failed", message: errorText(error) };
  const { file, offset, why } = error;
  return { kind: "corrupt", file, offset, why };
}
