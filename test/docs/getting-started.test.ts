import { followDocument } from "./follow-document.ts";

followDocument("docs/getting-started.md", {
  shows: ["Started the local daemon", '"sunrise"', "The daemon has stopped"],
});
