import { followDocument } from "./follow-document.ts";

followDocument("docs/security.md", { shows: ["ok"] });
