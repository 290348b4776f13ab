import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** The name of the market in the files of docs/deploy. */
export const MARKET = "market.example.org";

/** Whether a program is on this machine; where it is not, its test is skipped. */
export function has(program: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
}

/** `certificate.pem` and `key.pem` in the folder. */
export function makeCertificate(folder: string): void {
  const words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", `/CN=${MARKET}`];
  const files = ["-addext", `subjectAltName=DNS:${MARKET}`, "-keyout", `${folder}/key.pem`, "-out"];
  const { status, stderr } = spawnSync("openssl", [...words, ...files, `${folder}/certificate.pem`]);
  if (status !== 0) throw new Error(`openssl made no certificate: ${stderr.toString()}`);
}

/**
 * A shipped nginx.conf with ports and the certificate of this machine in the place of its own, and the arguments that run it
 * in the foreground.
 */
export function nginxWith(folder: string, shipped: string, at: { port: number; otherPort: number }): string[] {
  const server = shipped
    .replaceAll("listen 443", `listen ${at.port}`)
    .replaceAll("listen 80", `listen ${at.otherPort}`)
    .replace(/ssl_certificate [^;]+;/, `ssl_certificate ${folder}/certificate.pem;`)
    .replace(/ssl_certificate_key [^;]+;/, `ssl_certificate_key ${folder}/key.pem;`)
    .replaceAll(/^\s*listen \[::\].*\n/gm, "");
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((one) => `${one}_temp_path ${folder}/${one};`)
    .join("\n");
  const whole = `pid ${folder}/pid;\ndaemon off;\nerror_log ${folder}/error.log;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${server}\n}\n`;
  writeFileSync(join(folder, "nginx.conf"), whole);
  return ["-p", folder, "-e", `${folder}/error.log`, "-c", join(folder, "nginx.conf")];
}

export interface ProxyAnswer {
  readonly status: number | undefined;
  readonly body: string;
}

export interface ProxyAsk {
  readonly host: string;
  readonly key?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
}

/** One request over TLS, under a host name. Rejects where there was no whole answer. */
export async function askProxy(port: number, path: string, { host, key, ...asked }: ProxyAsk): Promise<ProxyAnswer> {
  const headers = {
    host,
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(asked.body !== undefined && { "content-type": "application/json" }),
    ...asked.headers,
  };
  return await new Promise((resolve, reject) => {
    const method = asked.method ?? "GET";
    const place = { host: "127.0.0.1", port, path, method, headers, servername: MARKET, rejectUnauthorized: false };
    const sent = request(place, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (body += chunk));
      response.once("end", () => resolve({ status: response.statusCode, body }));
      response.once("error", reject);
    });
    sent.once("error", reject).end(asked.body === undefined ? undefined : JSON.stringify(asked.body));
  });
}

export async function untilProxyAnswers(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const answer = await askProxy(port, "/health", { host: MARKET }).catch(() => undefined);
    if (answer !== undefined && answer.status !== 502) return;
    await delay(50);
  }
  throw new Error("the proxy did not answer");
}
