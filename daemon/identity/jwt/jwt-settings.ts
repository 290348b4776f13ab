/** The identity provider whose access tokens are taken as credentials. Source: settings design. */
export interface JwtSettings {
  /** What `iss` must be, to the letter. */
  readonly issuer: string;
  /** What `aud` must be or hold. */
  readonly audience: string;
  /** Where the provider's public keys are; https, or http on loopback. */
  readonly jwksUrl: string;
  /** The claim that names the caller's organisation. */
  readonly organisationClaim: string;
  /** The claims that a user's `metadata` is made of. */
  readonly metadataClaims: readonly string[];
}
