import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import slowFiles from "./slow-files.json" with { type: "json" };

/** So that the last worker does not go on alone for long. The files that are in no list are quick, and keep their order. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = ({ project, moduleId }: TestSpecification) =>
      (slowFiles as Readonly<Record<string, number>>)[relative(project.config.root, moduleId)] ?? 0;
    // A worker that has loaded a project's modules stays with the project.
    return files.toSorted(
      (one, other) =>
        one.project.name.localeCompare(other.project.name) ||
        seconds(other) - seconds(one) ||
        one.moduleId.localeCompare(other.moduleId),
    );
  }
}
