import { z } from "zod";

/** What a resource is, as the published contract lists it. docs/contract.md, "Resources". */
export const ResourceType = z.enum([
  "phone_number",
  "file_system",
  "asset_library",
  "machine",
  "email_account",
  "email_inbox",
  "email_domain",
  "browser_session",
  "browser_profile",
]);
export type ResourceType = z.infer<typeof ResourceType>;
