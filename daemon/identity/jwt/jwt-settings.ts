/** The identity provider whose access tokens are accepted as credentials. Source: docs/contract.md, "Access tokens". */
export interface JwtSettings {
  /** The exact value that `iss` must have. */
  readonly issuer: string;
  /** The value that `aud` must be or contain. */
  readonly audience: string;
  /** The address of the provider's public keys; https, or http on loopback. */
  readonly jwksUrl: string;
  /** The claim that names the caller's organisation. */
  readonly organisationClaim: string;
  /** The claims that make up a user's `metadata`. */
  readonly metadataClaims: readonly string[];
}
