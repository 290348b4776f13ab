import { describe, expect, test } from "vitest";
import {
  parseTemplate,
  renderTemplate,
  type TemplateScope,
  UnresolvedReferenceError,
} from "../../daemon/manifest/template.ts";

const scope: TemplateScope = {
  secrets: { key: "s3cret" },
  input: { body: { city: "Lisbon", limit: 5, where: { country: "PT" } }, queryParams: { days: 2 } },
  runId: "01RUN",
  externalId: "job-1",
  state: { dataset: "set-9" },
};

function partsOf(text: string) {
  const parsed = parseTemplate(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.value;
}

describe("a template", () => {
  test.each([
    ["plain text", "plain text"],
    ["Bearer ${secret.key}", "Bearer s3cret"],
    ["${input.body.city}/${input.queryParams.days}", "Lisbon/2"],
    ["${input.body.where.country}", "PT"],
    ["${run.id}-${run.externalId}", "01RUN-job-1"],
    ["/v2/${state.dataset}", "/v2/set-9"],
    ["costs $5 {not a reference}", "costs $5 {not a reference}"],
    ["", ""],
  ])("%s renders as %s", (text, expected) => {
    expect(renderTemplate(partsOf(text), scope)).toBe(expected);
  });

  test.each(["${", "${secret.key", "${nonsense}", "${secret.a.b}", "${input.query.x}", "${input.body}", "${env.PATH}"])(
    "%s is refused at load with what is known",
    (text) => {
      expect(parseTemplate(text).ok).toBe(false);
    },
  );

  test("does not read a caller's value as a template again", () => {
    const tricky = { ...scope, input: { body: { city: "${secret.key}" } } };

    expect(renderTemplate(partsOf("${input.body.city}"), tricky)).toBe("${secret.key}");
  });

  test.each(["${input.body.unknown}", "${secret.other}", "${state.none}", "${resource.id}", "${input.body.toString}"])(
    "%s without a value is told by name",
    (text) => {
      expect(() => renderTemplate(partsOf(text), scope)).toThrow(UnresolvedReferenceError);
      expect(() => renderTemplate(partsOf(text), scope)).toThrow(text);
    },
  );
});
