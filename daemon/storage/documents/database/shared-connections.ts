import { setTimeout as delay } from "node:timers/promises";
import { ConnectionRecord, type ConnectionStore, marked } from "../../../connections/connection-record.ts";
import { connectionFileName } from "../connection-files.ts";
import type { SealedDocuments } from "./sealed-documents.ts";

const FOLDER = "connections/";
/** Longer than a login server may take. After it, the daemon that renewed counts as gone. */
const RENEWAL_MS = 60_000;
const LOOK_EVERY_MS = 100;

/** Connected accounts in sealed documents. One daemon renews at a time; the others wait for what it gets. */
export function openSharedConnections(sealed: SealedDocuments, learn: (secret: string) => void): ConnectionStore {
  /** In effect here, since what they replace may be spent; the caller writes them again. */
  const unwritten = new Map<string, Unwritten>();
  const parsed = new Map<string, { readonly text: string; readonly record: ConnectionRecord }>();

  const recordOf = (name: string): ConnectionRecord | undefined => {
    const stored = storedOf(name);
    const waiting = unwritten.get(name);
    if (waiting === undefined) return stored;
    if (waiting.isLogin || stored?.connectionId === waiting.record.connectionId) return waiting.record;
    // Somebody has logged in at another daemon since the renewal, or removed the connection.
    unwritten.delete(name);
    return stored;
  };
  const storedOf = (name: string): ConnectionRecord | undefined => {
    const text = sealed.read(name);
    if (text === undefined) {
      parsed.delete(name);
      return undefined;
    }
    const known = parsed.get(name);
    if (known?.text === text) return known.record;
    const record = parse(text);
    for (const token of [record.accessToken, record.refreshToken]) if (token !== undefined) learn(token);
    parsed.set(name, { text, record });
    return record;
  };
  for (const name of sealed.names(FOLDER)) recordOf(name);

  /** Has `change` decide what of the stored record and the new one is written; false when that is nothing. */
  const write = async (
    made: Unwritten,
    change: (stored: ConnectionRecord | undefined) => boolean,
  ): Promise<boolean> => {
    const { record } = made;
    for (const token of [record.accessToken, record.refreshToken]) if (token !== undefined) learn(token);
    const name = nameOf(record.workspaceId, record.provider);
    unwritten.set(name, made);
    let isWritten = false;
    await sealed.change(name, (text) => {
      isWritten = change(text === undefined ? undefined : parse(text));
      return isWritten ? JSON.stringify(record) : undefined;
    });
    // A login may have come meanwhile, whose write waits.
    if (unwritten.get(name) === made) unwritten.delete(name);
    return isWritten;
  };

  return {
    find: (workspaceId, provider) => withoutRenewal(recordOf(nameOf(workspaceId, provider))),
    all: () => sealed.names(FOLDER).flatMap((name) => withoutRenewal(recordOf(name)) ?? []),
    list: (workspaceId) =>
      sealed
        .names(FOLDER)
        .flatMap((name) => withoutRenewal(recordOf(name)) ?? [])
        .filter((record) => record.workspaceId === workspaceId)
        .sort((one, other) => (one.provider < other.provider ? -1 : 1)),
    async put(record) {
      await write({ record, isLogin: true }, () => true);
    },
    keep: async (record) =>
      await write({ record, isLogin: false }, (stored) => stored?.connectionId === record.connectionId),
    async mark(of, lastFailure) {
      let isMarked = false;
      await sealed.change(nameOf(of.workspaceId, of.provider), (text) => {
        const record = marked(text === undefined ? undefined : parse(text), of, lastFailure);
        isMarked = record !== undefined;
        return record === undefined ? undefined : JSON.stringify(record);
      });
      return isMarked;
    },
    async markRenewing(record, since) {
      const name = nameOf(record.workspaceId, record.provider);
      const until = Date.now() + RENEWAL_MS;
      for (;;) {
        let elsewhere: ConnectionRecord | undefined;
        let isUnderWay = false;
        await sealed.change(name, (text) => {
          if (text === undefined) throw new Error("the connection was removed");
          const now = parse(text);
          isUnderWay = isRenewing(now);
          elsewhere = now;
          if (isUnderWay || now.accessToken !== record.accessToken) return undefined;
          elsewhere = undefined;
          return JSON.stringify({ ...record, renewingSince: since });
        });
        if (elsewhere === undefined) return undefined;
        if (!isUnderWay) return elsewhere;
        if (Date.now() > until) throw new Error("another daemon has been renewing it for too long");
        await delay(LOOK_EVERY_MS);
      }
    },
    async remove({ workspaceId, provider, connectionId }) {
      const name = nameOf(workspaceId, provider);
      let isReplaced = false;
      await sealed.change(name, (text) => {
        isReplaced = text !== undefined && parse(text).connectionId !== connectionId;
        return text === undefined || isReplaced ? undefined : null;
      });
      if (unwritten.get(name)?.record.connectionId === connectionId) unwritten.delete(name);
      return !isReplaced;
    },
  };
}

/** A record that is not written yet. */
interface Unwritten {
  readonly record: ConnectionRecord;
  /** Of a login, which replaces whatever is stored; else of a renewal. */
  readonly isLogin: boolean;
}

function parse(text: string): ConnectionRecord {
  return ConnectionRecord.parse(JSON.parse(text));
}

function nameOf(workspaceId: string, provider: string): string {
  return `${FOLDER}${connectionFileName(workspaceId, provider)}`;
}

function isRenewing({ renewingSince }: ConnectionRecord): boolean {
  return renewingSince !== undefined && Math.abs(Date.now() - Date.parse(renewingSince)) < RENEWAL_MS;
}

/** While another daemon renews it, the connection is as it was: whoever needs a new token waits for it. */
function withoutRenewal(record: ConnectionRecord | undefined): ConnectionRecord | undefined {
  if (record === undefined || !isRenewing(record)) return record;
  const { renewingSince: _elsewhere, ...before } = record;
  return before;
}
