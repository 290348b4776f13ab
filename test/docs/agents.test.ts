import { followDocument } from "./follow-document.ts";

followDocument("docs/agents.md");
