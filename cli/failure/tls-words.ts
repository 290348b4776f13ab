import { isLoopback } from "../../shared/loopback.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import type { Explained } from "./explained.ts";
import { tryOtherAddress } from "./other-address.ts";

/** A TLS error, or the error that wraps it, as Node throws it. */
interface TlsError {
  code?: unknown;
  cause?: unknown;
  message?: unknown;
  cert?: { subjectaltname?: unknown };
}

type Explain = (url: URL, error: TlsError) => Explained;

const unknownAuthority: Explain = ({ host }) => ({
  why:
    `The certificate of ${host} is signed by an unknown authority, or the server does not send ` +
    `an intermediate certificate. Get the authority's certificate from the operator of the deployment, and name its file ` +
    `in NODE_EXTRA_CA_CERTS.`,
  next: withOwnAuthority,
});

const withOwnAuthority = "NODE_EXTRA_CA_CERTS=<file> mkt whoami";

const explanations: Readonly<Record<string, Explain>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: ({ host }) => ({
    why:
      `The certificate of ${host} is self-signed. If that is intended, get the certificate from ` +
      `the operator of the deployment, and name its file in NODE_EXTRA_CA_CERTS.`,
    next: withOwnAuthority,
  }),
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  CERT_HAS_EXPIRED: (url) => ({
    why: `The certificate of ${url.host} has expired: the operator of the deployment must renew it. Or the clock of this machine is wrong.`,
    next: showDates(url),
  }),
  CERT_NOT_YET_VALID: ({ host }) => ({
    why: `The certificate of ${host} is not valid yet: the clock of this machine is probably wrong.`,
    next: "date",
  }),
  ERR_TLS_CERT_ALTNAME_INVALID: otherName,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
};

/** What is wrong with the connection's TLS; undefined when something else is. `address` is the deployment's own. */
export function explainTls(address: string, thrown: unknown): Explained | undefined {
  for (const error of causesOf(thrown)) {
    const explain = explanations[String(error.code)];
    if (explain) return explain(new URL(address), error);
    // Older Node has one code for all of these.
    if (error.code === "EPROTO" && /wrong version number|packet length too long/.test(String(error.message))) {
      return noTls(new URL(address));
    }
    if (String(error.code).startsWith("ERR_SSL_"))
      return { why: `TLS failed at ${new URL(address).host}: ${error.message}` };
  }
  return undefined;
}

/** The address expects TLS, and http was used. */
export function explainPlainToTls(address: string): Explained {
  const url = new URL(address);
  return {
    why: `${url.host} speaks https, and the address says http.`,
    next: tryOtherAddress(url, otherAddress(url, { protocol: "https:" })),
  };
}

/** The error and its causes, outermost first. */
function causesOf(thrown: unknown): TlsError[] {
  const errors: TlsError[] = [];
  for (let error = thrown; isObject(error) && errors.length < 5; error = error.cause) errors.push(error);
  return errors;
}

function isObject(value: unknown): value is TlsError {
  return typeof value === "object" && value !== null;
}

function noTls(url: URL): Explained {
  const why = `${url.host} does not speak https: plain http, or something else, answers there.`;
  const plain = otherAddress(url, { protocol: "http:" });
  if (isLoopback(url.hostname)) return { why, next: tryOtherAddress(url, plain) };
  // Somebody on the network path can answer this: so the suggested command sends no key.
  return {
    why: `${why} Over http, others on the network can read your key.`,
    next: shellLine("curl", `${plain}/health`),
  };
}

function otherName(url: URL, { cert }: TlsError): Explained {
  const names = namesOf(cert?.subjectaltname);
  const [first] = names.filter((name) => !name.startsWith("*"));
  return {
    why: `The certificate of ${url.host} is for ${names.length === 0 ? "other names" : names.join(", ")} and not for ${url.hostname}.`,
    next: first === undefined ? showDates(url) : tryOtherAddress(url, otherAddress(url, { hostname: first })),
  };
}

/**
 * `DNS:a.example, IP Address:127.0.0.1`, as Node lists the names of a certificate. Anything that is no host name is
 * left out.
 */
function namesOf(text: unknown): string[] {
  if (typeof text !== "string") return [];
  return [...text.matchAll(/(?:DNS|IP Address):([A-Za-z0-9*.:-]+)/g)].flatMap(([, name]) => name ?? []).slice(0, 3);
}

function otherAddress(url: URL, change: { protocol?: string; hostname?: string }): string {
  const { protocol = url.protocol, hostname = url.hostname } = change;
  const host = hostname.includes(":") && !hostname.startsWith("[") ? `[${hostname}]` : hostname;
  const port = url.port === "" ? "" : `:${url.port}`;
  return `${protocol}//${host}${port}${url.pathname.replace(/\/+$/, "")}`;
}

function showDates({ hostname, port }: URL): string {
  const place = shellLine("-connect", `${hostname}:${port || 443}`, "-servername", hostname);
  return `openssl s_client ${place} < /dev/null | openssl x509 -noout -subject -dates`;
}
