import { createImportAnswers } from "../daemon/import/serve-imports.ts";
import { serveQuestions } from "../daemon/processes/serve-questions.ts";

// A process of its own, so that a hostile document takes no more than it is given: `worker-importer.ts` starts and ends it.
serveQuestions(createImportAnswers());
