import { expect, test } from "vitest";
import { findFilledTemplate } from "../../daemon/catalog/filled-template.ts";

const templates = ["/country/{code}", "/status/{code}", "/{area}/{id}/list", "/orders/{id}/list", "/sun", "/{any}"];

test.each([
  ["/country/PT", "/country/{code}", { code: "PT" }],
  ["/status/404", "/status/{code}", { code: "404" }],
  ["/orders/7/list", "/orders/{id}/list", { id: "7" }],
  ["/users/7/list", "/{area}/{id}/list", { area: "users", id: "7" }],
])("%s is %s filled in", (path, template, values) => {
  expect(findFilledTemplate(path, templates)).toEqual({ template, values });
});

test.each([
  ["has another length", "/country/PT/cities"],
  ["leaves a parameter empty", "/country/"],
  ["has nothing in common with a template but its form", "/moon"],
])("a path that %s is none", (_what, path) => {
  expect(findFilledTemplate(path, templates)).toBeUndefined();
});
