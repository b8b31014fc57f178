/** Text of a number as JSON writes it. Linear: no part can match the same digits in two ways. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Longer texts stay text: nobody writes such a number, and reading it would cost. */
const LONGEST = 4_096;

/**
 * The exact decimal value of JSON number text, spelled in one way, so that equal numbers have equal text: `1`, `1.0`
 * and `10e-1` are one number, `9007199254740993` and `9007199254740992` are two. Undefined for any other text
 * (`00742`, `0x10`, an empty one, …). O(length).
 */
export function decimalOf(text: string): string | undefined {
  if (text.length > LONGEST || !JSON_NUMBER.test(text)) return undefined;
  const negative = text.startsWith("-");
  const [mantissa, exponent = "0"] = text.slice(negative ? 1 : 0).split(/[eE]/) as [string, string?];
  const [whole, fraction = ""] = mantissa.split(".") as [string, string?];
  const digits = whole + fraction;
  let first = 0;
  while (digits[first] === "0") first += 1;
  let last = digits.length;
  while (last > first && digits[last - 1] === "0") last -= 1;
  if (first === last) return "0";
  const scale = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - last);
  return `${negative ? "-" : ""}${digits.slice(first, last)}e${scale}`;
}

/** {@link decimalOf} of a number value; NaN and the infinities, which JSON does not have, keep their names. */
export function decimalOfNumber(value: number | bigint): string {
  if (Number.isSafeInteger(value) && value !== 0) return decimalOfInteger(value as number);
  return decimalOf(String(value)) ?? String(value);
}

/** Nearly all numbers of arguments are small integers. */
function decimalOfInteger(value: number): string {
  let digits = value;
  let scale = 0;
  while (digits % 10 === 0) {
    digits /= 10;
    scale += 1;
  }
  return `${digits}e${scale}`;
}
