/** One record of a CSV text, with the line on which it begins, from 1. */
export interface CsvRecord {
  readonly line: number;
  readonly fields: readonly string[];
}

/**
 * Reads comma-separated values as RFC 4180 has them: fields in double quotes may hold commas, quotes (doubled) and line
 * ends. Lines may end in any way, empty ones are passed over. What follows a closing quote belongs to the field. O(text).
 */
export function parseCsv(text: string): CsvRecord[] {
  const records: CsvRecord[] = [];
  let fields: string[] = [];
  let field = "";
  let quoted = false;
  let line = 1;
  let begun = 1;
  const end = (): void => {
    fields.push(field);
    if (fields.length > 1 || field.trim() !== "") records.push({ line: begun, fields });
    fields = [];
    field = "";
  };
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] as string;
    if (character === "\n") line += 1;
    if (quoted) {
      if (character !== '"') field += character;
      else if (text[index + 1] === '"') {
        field += '"';
        index += 1;
      } else quoted = false;
    } else if (character === '"' && field === "") quoted = true;
    else if (character === ",") {
      fields.push(field);
      field = "";
    } else if (character === "\n") {
      end();
      begun = line;
    } else if (character !== "\r") field += character;
  }
  end();
  return records;
}
