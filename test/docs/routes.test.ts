import { followDocument } from "./follow-document.ts";

followDocument("docs/routes.md", {
  shows: [
    "1 route can be served; no problems",
    '"now":"first"',
    "Left north/tide after",
    '"metres":0.9',
    '"outcome": "left"',
  ],
});
