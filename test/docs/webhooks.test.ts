import { followDocument } from "./follow-document.ts";

followDocument("docs/webhooks.md", { shows: ["DELIVERED", "run.completed"] });
