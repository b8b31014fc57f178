/** How deep a decoded value may be nested; deeper ones are unreadable. */
export const MAX_DEPTH = 64;

/** Longest text that is scanned for a member. */
const MAX_SCAN_LENGTH = 65_536;

/** Emitters encode twice, converters once more. */
const MAX_ROUNDS = 3;

/** The value of a JSON text that may be encoded several times over; `undefined` when it is no JSON. */
export function decodeJson(value: unknown): unknown {
  let current = value;
  for (let round = 0; round < MAX_ROUNDS && typeof current === "string"; round += 1) {
    const parsed = parse(current);
    if (parsed === undefined) return round === 0 ? undefined : current;
    current = parsed;
  }
  return withinDepth(current) ? current : undefined;
}

/** True for objects that are neither arrays nor null. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An own member of a decoded object. */
export function member(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** A non-empty text member. */
export function textMember(value: unknown, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const found = member(value, key);
    if (typeof found === "string" && found !== "") return found;
  }
  return undefined;
}

/**
 * The text of `"key": "..."` in a JSON text, found without parsing the rest; for the few members that must be known
 * in the host's `span.end()`. Keys inside of texts do not match, since their quotes are escaped.
 */
export function scanTextMember(json: string, key: string): string | undefined {
  if (json.length > MAX_SCAN_LENGTH) return undefined;
  const needle = `"${key}"`;
  let at = json.indexOf(needle);
  while (at !== -1) {
    const start = valueStart(json, at + needle.length);
    if (start !== -1) return json[start] === '"' ? literal(json, start) : undefined;
    at = json.indexOf(needle, at + needle.length);
  }
  return undefined;
}

/**
 * The text at a path of members in a JSON text, found in one pass without parsing; for names that must be known in the
 * host's `span.end()`. Objects inside of lists are not looked into.
 */
export function scanTextPath(json: string, path: readonly string[]): string | undefined {
  if (json.length > MAX_SCAN_LENGTH) return undefined;
  let depth = 0;
  let entered = 0;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") {
      if (depth === entered + 1 && entered > 0) entered -= 1;
      depth -= 1;
    } else if (character === '"') {
      const end = literalEnd(json, at);
      const start = depth === entered + 1 ? valueStart(json, end + 1) : -1;
      if (start !== -1 && json.slice(at + 1, end) === path[entered]) {
        if (entered === path.length - 1) return json[start] === '"' ? literal(json, start) : undefined;
        if (json[start] === "{") entered += 1;
      }
      at = end;
    }
  }
  return undefined;
}

function valueStart(json: string, from: number): number {
  const colon = skipSpace(json, from);
  return json[colon] === ":" ? skipSpace(json, colon + 1) : -1;
}

function skipSpace(json: string, from: number): number {
  let at = from;
  while (json[at] === " " || json[at] === "\n" || json[at] === "\t" || json[at] === "\r") at += 1;
  return at;
}

function literal(json: string, start: number): string | undefined {
  const parsed = parse(json.slice(start, literalEnd(json, start) + 1));
  return typeof parsed === "string" ? parsed : undefined;
}

/** Where the closing quote of a text stands. */
function literalEnd(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Walks with its own stack: hostile values are nested deeper than the call stack allows. */
function withinDepth(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return false;
    const next: unknown[] = [];
    for (const item of level) {
      if (Array.isArray(item)) for (const member of item) next.push(member);
      else if (isRecord(item)) for (const key of Object.keys(item)) next.push(item[key]);
    }
    level = next;
  }
  return true;
}
