import { errorText } from "../../../shared/error-text.ts";
import { sqlStateOf } from "./database-errors.ts";

/** The database is there and lets nobody in with these settings. The message says why and what to do, never the password. */
export class DatabaseRefused extends Error {
  override readonly name = "DatabaseRefused";
}

const PASSWORD_HINT = "Check the user and the password in MKT_DATABASE_URL, or PGPASSWORD";
const CA_HINT = "Set MKT_DATABASE_CA_FILE to a PEM file with the certificate of the authority that signed it";

/** What to do, by the code of Node's TLS, by SQLSTATE, or by what the driver says where it has no code. */
const NEXT: readonly (readonly [codes: RegExp, texts: RegExp | undefined, next: string])[] = [
  [/^28P01$/, /client password must be/, PASSWORD_HINT],
  [/^28000$/, undefined, "Check the user and sslmode in MKT_DATABASE_URL, and pg_hba.conf of the server"],
  [/^3D000$/, undefined, "Make it (createdb --owner ROLE NAME), or name another one in MKT_DATABASE_URL"],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    undefined,
    "Write a host into MKT_DATABASE_URL that its certificate names, or give the server a certificate for this one",
  ],
  [
    /^(?:SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|CERT_SIGNATURE_FAILURE)$/,
    undefined,
    CA_HINT,
  ],
  [/^CERT_/, undefined, "Give the server a certificate that is valid now, and check the clocks of both machines"],
  [
    /^$/,
    /does not support SSL/,
    "Turn TLS on there (ssl = on), or write sslmode=disable into MKT_DATABASE_URL where nobody can listen",
  ],
];

/** Why a login failed, and what to do; undefined where the error is of another kind. */
export function loginRefusal(error: unknown): string | undefined {
  const [code, text] = [sqlStateOf(error), errorText(error)];
  const found = NEXT.find(([codes, texts]) => (code !== "" && codes.test(code)) || texts?.test(text) === true);
  return found && `${text}. ${found[2]}`;
}
