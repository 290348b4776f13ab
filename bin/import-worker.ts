import { createImportAnswers } from "../daemon/import/serve-imports.ts";
import { serveQuestions } from "../daemon/processes/serve-questions.ts";

// A separate process, so that a hostile document cannot exceed its limits: `worker-importer.ts` starts and ends it.
void serveQuestions(createImportAnswers());
