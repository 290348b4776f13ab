import type { Description } from "../documents/description.ts";
import type { ImportChoices, ImportedProvider } from "../conversion/imported-provider.ts";
import { ConversionMeter } from "../conversion/conversion-meter.ts";
import { ImportNotes } from "../conversion/import-notes.ts";
import { type Conversion, convertOperations } from "./convert-operations.ts";
import { readVersion } from "./document/read-version.ts";
import { ReferenceResolver } from "./document/reference-resolver.ts";
import { NO_ADDRESS } from "./operations/choose-server.ts";
import { rootServer } from "./operations/operation-server.ts";
import { slugFor } from "./operations/provider-card.ts";
import { SecurityReader } from "./security/convert-security.ts";
import { writeProvider } from "./write-provider.ts";

/**
 * Converts an OpenAPI document of any version to a provider. Pure: reads no file and no address, and takes bounded time
 * for any document. An operation that cannot be called is left out with the reason; the rest is converted. Throws
 * ImportRefused when nothing is left, or when it is not an OpenAPI document.
 */
export function convertOpenApi(description: Description, choices: ImportChoices): ImportedProvider {
  const { root, version } = readVersion(description.value);
  const meter = new ConversionMeter();
  const resolver = new ReferenceResolver(description, meter);
  const isSwagger = version === "2.0";
  const servers = { root, isSwagger, ref: description.ref, baseUrl: choices.baseUrl };
  const conversion: Conversion = {
    description,
    choices,
    root,
    version,
    resolver,
    meter,
    notes: new ImportNotes(),
    skipped: [],
    servers,
  };
  const server = rootServer(servers);
  const slug = slugFor(choices.slug, root, server?.baseUrl ?? NO_ADDRESS);
  const { notes } = conversion;
  const security = new SecurityReader({ root, isSwagger, resolver, notes, slug, ref: description.ref });
  const found = convertOperations(conversion, security);
  return writeProvider(conversion, { ...found, security, slug, server });
}
