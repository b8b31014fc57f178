/** What is thrown for a request that holds more values than may be read of one. */
export class TooManyValues extends RangeError {
  constructor(max: number) {
    super(`the request holds more than ${max} values`);
    this.name = "TooManyValues";
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;

/**
 * Whether a JSON text has more than `max` lists, objects and further members of them. A value takes a byte or two of the
 * text and a hundred of memory once it is parsed, so this is asked before; a text of so few bytes is not looked through.
 * It takes time in proportion to the text, and no memory.
 */
export function holdsMoreValues(json: Uint8Array, max: number): boolean {
  if (json.length <= max) return false;
  let values = 0;
  let quoted = false;
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index];
    if (byte === QUOTE) quoted = !quoted;
    else if (quoted) {
      if (byte === BACKSLASH) index += 1;
    } else if (byte === COMMA || byte === OPENING_BRACKET || byte === OPENING_BRACE) {
      values += 1;
      if (values > max) return true;
    }
  }
  return false;
}
