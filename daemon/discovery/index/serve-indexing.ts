import type { MessagePort } from "node:worker_threads";
import { errorText } from "../../../shared/error-text.ts";
import {
  finishShard,
  gatherDocuments,
  type IndexingOptions,
  mergeShardsInSteps,
  type ProviderDocuments,
  runAtOnce,
} from "./shard/build-shard.ts";
import { ForwardIndex } from "./shard/forward-index.ts";
import { openShard } from "./shard/shard.ts";

/**
 * Messages to the thread: documents in portions followed by a request for their shard, or a request for a merge. One at
 * a time.
 */
export type IndexingQuestion =
  | { readonly step: "begin" }
  | { readonly step: "add"; readonly providers: readonly ProviderDocuments[] }
  | { readonly step: "finish"; readonly meanLengths?: readonly number[] }
  | {
      readonly step: "merge";
      readonly shares: readonly { readonly buffer: SharedArrayBuffer; readonly groups: readonly number[] }[];
    };

/** `buffer`: the shard, if one was requested. */
export type IndexingReply =
  | { readonly kind: "done"; readonly buffer?: SharedArrayBuffer }
  | { readonly kind: "failed"; readonly message: string };

/** Answers messages on the port, for as long as the thread lives. */
export function serveIndexing(port: MessagePort, options: IndexingOptions): void {
  const answer = createAnswering(options);
  port.on("message", (question: IndexingQuestion) => {
    let reply: IndexingReply;
    try {
      reply = answer(question);
    } catch (error) {
      reply = { kind: "failed", message: errorText(error) };
    }
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    port.postMessage(reply);
  });
}

function createAnswering(options: IndexingOptions): (question: IndexingQuestion) => IndexingReply {
  let forward = new ForwardIndex(options);
  return (question) => {
    switch (question.step) {
      case "begin":
        forward = new ForwardIndex(options);
        return { kind: "done" };
      case "add":
        runAtOnce(gatherDocuments(forward, question.providers));
        return { kind: "done" };
      case "finish":
        return { kind: "done", buffer: runAtOnce(finishShard(forward, options, question.meanLengths)).buffer };
      case "merge": {
        const shares = question.shares.map(({ buffer, groups }) => ({ shard: openShard(buffer), groups }));
        return { kind: "done", buffer: runAtOnce(mergeShardsInSteps(shares, options)).buffer };
      }
    }
  };
}
