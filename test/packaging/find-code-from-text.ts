import ts from "typescript";

/** A place where a program makes code of a text, or may. */
export interface CodeFromText {
  readonly how: "eval" | "Function" | "vm" | "timer" | "worker";
  readonly line: number;
  /** What stands around it, without blanks: a build may be minified or not. */
  readonly around: string;
}

/** Characters of what stands around: enough to know a place by, too few for its neighbour to answer for it. */
const [BEFORE, AFTER] = [60, 120];
const GLOBALS = new Set(["globalThis", "global", "self", "window"]);
const LOADS = new Set(["require", "import", "getBuiltinModule"]);

/**
 * Every place in a script that makes code of a text: `eval`, the constructor of functions by whatever name it is taken, `vm`,
 * timers with a text, threads with a text. Read from the syntax tree, so that texts and comments do not count.
 */
export function findCodeFromText(name: string, text: string): CodeFromText[] {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const found: CodeFromText[] = [];
  const note = (how: CodeFromText["how"], node: ts.Node) => {
    const at = node.getStart(source);
    found.push({
      how,
      line: source.getLineAndCharacterOfPosition(at).line + 1,
      around: text.slice(Math.max(0, at - BEFORE), at + AFTER).replaceAll(/\s+/g, ""),
    });
  };
  const look = (node: ts.Node): void => {
    const how = judge(node);
    if (how !== undefined) note(how, node);
    ts.forEachChild(node, look);
  };
  look(source);
  return found;
}

function judge(node: ts.Node): CodeFromText["how"] | undefined {
  if (ts.isIdentifier(node) && node.text === "eval") {
    if (isOptionName(node)) return "worker";
    return isReference(node) ? "eval" : undefined;
  }
  if (ts.isIdentifier(node) && node.text === "Function")
    return isReference(node) && !isOnlyCompared(node) ? "Function" : undefined;
  if (ts.isCallExpression(node)) return judgeCall(node);
  if (ts.isImportDeclaration(node) && isVm(node.moduleSpecifier)) return "vm";
  return undefined;
}

function judgeCall(node: ts.CallExpression): CodeFromText["how"] | undefined {
  const [first] = node.arguments;
  const called = nameOf(node.expression);
  if (LOADS.has(called) && first !== undefined && isVm(first)) return "vm";
  if (/^set(?:Timeout|Interval|Immediate)$/.test(called) && first !== undefined && ts.isStringLiteralLike(first))
    return "timer";
  // `(() => {}).constructor("…")`, which is the constructor of functions; an object's own takes no text of code.
  const isConstructor = ts.isPropertyAccessExpression(node.expression) && called === "constructor";
  return isConstructor && first !== undefined && ts.isStringLiteralLike(first) ? "Function" : undefined;
}

function nameOf(node: ts.Expression): string {
  if (node.kind === ts.SyntaxKind.ImportKeyword) return "import";
  if (ts.isIdentifier(node)) return node.text;
  return ts.isPropertyAccessExpression(node) ? node.name.text : "";
}

function isVm(node: ts.Expression): boolean {
  return ts.isStringLiteralLike(node) && /^(?:node:)?vm$/.test(node.text);
}

/** `{ eval: … }`, as a thread is given a text. */
function isOptionName(node: ts.Identifier): boolean {
  return ts.isPropertyAssignment(node.parent) && node.parent.name === node;
}

/** Not the name of a method or of a member of something else than the global object. */
function isReference(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) {
    return ts.isIdentifier(parent.expression) && GLOBALS.has(parent.expression.text);
  }
  const isName = ts.isMethodDeclaration(parent) || ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent);
  return !(isName && parent.name === node);
}

/** `x instanceof Function` and `Function.prototype` make nothing. */
function isOnlyCompared(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isBinaryExpression(parent)) return parent.operatorToken.kind !== ts.SyntaxKind.EqualsToken;
  return ts.isPropertyAccessExpression(parent) && parent.expression === node && parent.name.text === "prototype";
}
