import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A certificate with its key, as files and as text. */
export interface Certificate {
  keyFile: string;
  certFile: string;
  key: string;
  cert: string;
}

/** Whether certificates can be made here; the tests that need them say so otherwise. */
export const hasOpenssl = (() => {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

/** An authority of its own, and certificates that it signs, in this folder. */
export function certificateMaker(folder: string) {
  const openssl = (...words: string[]) =>
    execFileSync("openssl", words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const path = (name: string) => join(folder, name);
  const newKey = (name: string, subject: string, ...words: string[]) =>
    openssl(
      "req",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-subj",
      `/CN=${subject}`,
      "-keyout",
      `${name}.key`,
      ...words,
    );
  const read = (name: string): Certificate => ({
    keyFile: path(`${name}.key`),
    certFile: path(`${name}.pem`),
    key: readFileSync(path(`${name}.key`), "utf8"),
    cert: readFileSync(path(`${name}.pem`), "utf8"),
  });

  return {
    selfSigned(names: string): Certificate {
      newKey("self", "self", "-x509", "-days", "2", "-addext", `subjectAltName=${names}`, "-out", "self.pem");
      return read("self");
    },
    authority(): Certificate {
      newKey("ca", "Test authority", "-x509", "-days", "2", "-out", "ca.pem");
      return read("ca");
    },
    /** Signed by the authority; with `dates` (YYYYMMDDHHMMSSZ) valid between them. */
    signed(name: string, names: string, dates?: { from: string; to: string }): Certificate {
      newKey(name, name, "-out", `${name}.csr`);
      writeFileSync(path(`${name}.ext`), `subjectAltName=${names}\n`);
      writeFileSync(path("index.txt"), "");
      writeFileSync(path("ca.cnf"), authorityConfig);
      const between = dates === undefined ? ["-days", "2"] : ["-startdate", dates.from, "-enddate", dates.to];
      const signing = ["ca", "-batch", "-notext", "-config", "ca.cnf", "-cert", "ca.pem", "-keyfile", "ca.key"];
      openssl(...signing, "-in", `${name}.csr`, "-out", `${name}.pem`, "-extfile", `${name}.ext`, ...between);
      return read(name);
    },
  };
}

const authorityConfig = `[ca]
default_ca = own
[own]
database = index.txt
new_certs_dir = .
rand_serial = yes
default_md = sha256
policy = any
[any]
commonName = supplied
`;
