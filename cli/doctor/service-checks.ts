import { countWords } from "../../shared/count-words.ts";
import { isDaemonAlive } from "../connection/daemon-alive.ts";
import type { Health } from "../../shared/contract/service.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { versionNote } from "../connection/version-note.ts";
import { allPages } from "../connection/all-pages.ts";
import { type DoctorCheck, fine, found, type Looked, type Patient, skipped } from "./check.ts";

const timeoutMs = 5_000;
/** Labels that fit a line or two. */
const MAX_NAMED = 8;
/** More than a slow network and a rounded second can explain. */
const largestSkewMs = 30_000;

/** Whether the service in use answers, and is well. */
export const serviceCheck: DoctorCheck = {
  name: "service",
  async look(patient) {
    const { settings, health } = patient;
    if (settings === undefined) return skipped("it is not known which one");
    const { baseUrl } = settings;
    if (baseUrl === undefined || baseUrl.from === "the local daemon") return lookAtLocalDaemon(patient);
    if (health?.health === undefined) {
      const { message, next } = await patient.describe(health?.error);
      return found(`${baseUrl.value} does not answer`, { message, next: next ?? "mkt whoami" });
    }
    return wellness(
      `${baseUrl.value} answers`,
      health.health,
      shellLine("curl", `${baseUrl.value.replace(/\/+$/, "")}/health`),
    );
  },
};

/** `next` shows more of it: a remote deployment's log is not on this machine. */
function wellness(saw: string, { status, storage, damagedPlaces, replacedBy }: Health, next: string): Looked {
  if (damagedPlaces !== undefined) {
    const places = countWords(damagedPlaces, "place");
    return found(`${saw}, with damaged data`, {
      message: `The stored data of the service is damaged in ${places}; its log names them. Restore them from a backup.`,
      next,
    });
  }
  if (status === "ok" && replacedBy !== undefined) {
    return found(`${saw}, of a build that was replaced`, {
      message: `mkt ${replacedBy} was installed while the daemon was running: it runs the earlier build until it is restarted.`,
      next: "mkt daemon stop && mkt daemon start",
    });
  }
  if (status === "ok") return fine(saw);
  const message = `The service says that it is ${status}, and its storage ${storage}.`;
  return found(`${saw}: ${status}`, { message, next });
}

/** A daemon that was stopped or never started is no finding: it is started when it is needed. */
function lookAtLocalDaemon({ settings, health }: Patient): Looked {
  const file = settings?.localDaemon;
  if (file === undefined || file.process === undefined) return skipped("no daemon was started yet: mkt daemon start");
  if (file.stoppedAt !== undefined) return skipped("the daemon is stopped: mkt daemon start");
  if (!isDaemonAlive(file)) {
    return found("the daemon is gone", {
      message: `The daemon (process ${file.pid}) ended without shutting down: it was killed, or the machine went down.`,
      next: "mkt daemon start",
    });
  }
  if (health?.health !== undefined) {
    return wellness(`the daemon answers at ${file.url}`, health.health, "mkt daemon logs");
  }
  // One that hangs hears no other signal; whatever it acknowledged is on the disk.
  return found("the daemon does not answer", {
    message: `The daemon (process ${file.pid}) is running but does not answer at ${file.url}.`,
    next: `kill -9 ${file.pid} && mkt daemon start`,
  });
}

/** Whether the service and this program are of one version. */
export const versionCheck: DoctorCheck = {
  name: "version",
  async look({ io, settings, health }) {
    if (health?.headers === undefined || settings?.baseUrl === undefined) {
      return skipped(`mkt ${io.version}; no service answers`);
    }
    const version = health.headers["x-mkt-version"];
    const note = versionNote(io.version, version, settings.baseUrl);
    if (note === undefined) return fine(`mkt ${io.version}, the service ${version ?? "says none"}`);
    return found(`mkt ${io.version}, the service ${version}`, { message: note.differ, next: note.mend });
  },
};

/** Whether this machine's clock and the service's agree. */
export const clockCheck: DoctorCheck = {
  name: "clock",
  async look({ health }) {
    const date = Date.parse(health?.headers?.["date"] ?? "");
    if (health === undefined || Number.isNaN(date)) return skipped("no service reports its time");
    const skewMs = health.at - date;
    if (Math.abs(skewMs) <= largestSkewMs) return fine("agrees with the service's");
    const seconds = Math.round(Math.abs(skewMs) / 1000);
    return found(`${seconds} seconds off`, {
      message: `This machine's clock is ${seconds} seconds ${skewMs > 0 ? "ahead of" : "behind"} the service's.`,
      next: "sudo timedatectl set-ntp true",
    });
  },
};

/** Which keys may do everything. That may be intended, so none is a finding. */
export const powerfulKeysCheck: DoctorCheck = {
  name: "keys",
  async look({ client, health }) {
    if (client === undefined || health?.headers === undefined) return skipped("no service to ask");
    const signal = AbortSignal.timeout(timeoutMs);
    const keys = await allPages((query) =>
      client.listApiKeys({ query: { ...query, status: ["ACTIVE"] } }, { signal }),
    ).catch(() => undefined);
    if (keys === undefined) return skipped("this key may not list them");
    const labels = keys.items.filter(({ scopes }) => scopes.includes("*")).map(({ label }) => label);
    const named = labels.slice(0, MAX_NAMED).join(", ") + (labels.length > MAX_NAMED ? ", …" : "");
    if (labels.length === 0) return fine("none of this workspace may do everything");
    return fine(`${labels.length === 1 ? "one" : labels.length} may do everything: ${named}`);
  },
};

/** Whether the accounts that logins connected can be used. */
export const connectionsCheck: DoctorCheck = {
  name: "connections",
  async look({ client, health }) {
    if (client === undefined || health?.headers === undefined) return skipped("no service to ask");
    const listed = await client.listConnections({}, { signal: AbortSignal.timeout(timeoutMs) }).catch(() => undefined);
    if (listed === undefined) return skipped("this key may not list them");
    const failing = listed.items.filter(({ state, lastFailure }) => state !== "connected" || lastFailure !== undefined);
    const saw =
      listed.items.length === 0 ? "none" : `${listed.items.length - failing.length} of ${listed.items.length} work`;
    if (failing.length === 0) return fine(saw);
    return found(
      saw,
      ...failing.map(({ provider, state, why, next, lastFailure }) => ({
        message: `The account at ${provider} is ${state}: ${why ?? lastFailure?.message ?? "it failed"}.`,
        next: next ?? shellLine("mkt", "connections", "show", provider),
      })),
    );
  },
};

/** Whether people can sign in to the console as the operator meant them to. */
export const consoleCheck: DoctorCheck = {
  name: "console",
  async look({ client, health }) {
    if (client === undefined || health?.headers === undefined) return skipped("no service to ask");
    const way = await client.getConsoleSignIn({}, { signal: AbortSignal.timeout(timeoutMs) }).catch(() => undefined);
    if (way === undefined) return skipped("the service serves none");
    const { kind, issuer, problem } = way;
    if (problem !== undefined) {
      return found("nobody can sign in at the identity provider", {
        message: `People cannot sign in to the console at the identity provider: ${problem}.`,
        next: shellLine("curl", "-s", `${issuer?.replace(/\/$/, "")}/.well-known/openid-configuration`),
      });
    }
    if (kind === "oidc") return fine(`people sign in at ${issuer}, or with: mkt console`);
    if (issuer === undefined) return fine("people sign in with: mkt console");
    return fine(`people sign in with: mkt console (at ${issuer} too, once the daemon has MKT_CONSOLE_CLIENT_ID)`);
  },
};

/** Whether the service accepts the key. */
export const keyCheck: DoctorCheck = {
  name: "key",
  async look({ settings, client, health, describe }) {
    if (client === undefined || settings === undefined || health?.headers === undefined) {
      return skipped("no service to try it at");
    }
    try {
      const { user, credential } = await client.whoami({}, { signal: AbortSignal.timeout(timeoutMs) });
      const who = user.username || user.userId;
      const where = settings.key ? `, from ${settings.key.from}` : "";
      return fine(`good: you are ${who}${credential?.operator ? " (operator)" : ""}${where}`);
    } catch (error) {
      const { message, next } = await describe(error);
      return found(settings.key ? `refused, from ${settings.key.from}` : "none", {
        message,
        next: next ?? "mkt login",
      });
    }
  },
};
