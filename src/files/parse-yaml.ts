import { Composer, type CST, Lexer, Parser } from "yaml";

/** Expectations nest four levels, arguments up to 64. */
const MAX_DEPTH = 100;
/** Aliases may not unfold into more than this many copies (YAML's "billion laughs"). */
const MAX_ALIASES = 100;

/**
 * Reads one YAML document of sane shape.
 *
 * The composer of the YAML package recurses; on deep text it can exhaust the stack inside a regular expression, which
 * ends the process and cannot be caught. The parser beneath it keeps its own stack but takes quadratic time over a
 * line of many block indicators. So the text goes through them one by one, and each hands on only what the next can
 * bear. O(text).
 *
 * @throws Error whose first line says what is wrong, and where
 */
export function parseYaml(text: string): unknown {
  refuseLongRuns(text);
  const tokens = [...new Parser().parse(text)];
  for (const token of tokens) refuseDepth(token);
  const documents = [...new Composer({ stringKeys: true, prettyErrors: true }).compose(tokens, true, text.length)];
  if (documents.length > 1) throw new Error("one document is expected, got several (separated by ---)");
  const document = documents[0];
  const error = document?.errors[0];
  if (error !== undefined) throw new Error(`${error.message} (${placeOf(text, error.pos[0])})`);
  return document?.toJS({ maxAliasCount: MAX_ALIASES });
}

function refuseLongRuns(text: string): void {
  let run = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme.startsWith("\n") || lexeme.startsWith("\r")) run = 0;
    else if (lexeme === "-" || lexeme === "?") run += 1;
    if (run > MAX_DEPTH) throw tooDeep();
  }
}

function refuseDepth(root: CST.Token): void {
  const pending: { readonly token: CST.Token; readonly depth: number }[] = [{ token: root, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.depth > MAX_DEPTH) throw tooDeep();
    for (const child of childrenOf(next.token)) pending.push({ token: child, depth: next.depth + 1 });
  }
}

function childrenOf(token: CST.Token): CST.Token[] {
  if (token.type === "document") return token.value === undefined ? [] : [token.value];
  if (!("items" in token)) return [];
  const children: CST.Token[] = [];
  for (const item of token.items) {
    if (item.key !== undefined && item.key !== null) children.push(item.key);
    if (item.value !== undefined) children.push(item.value);
  }
  return children;
}

function tooDeep(): Error {
  return new Error(`at most ${MAX_DEPTH} levels of nesting are allowed, got more`);
}

function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
