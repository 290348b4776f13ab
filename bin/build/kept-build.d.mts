/** Whether the build of the checkout at `root` is there, whole, and of its sources as they are. */
export function isBuilt(root: string): boolean;
/** After a build: notes what it was made of. */
export function noteBuild(root: string): void;
