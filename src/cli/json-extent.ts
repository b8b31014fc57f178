/**
 * Follows where a JSON value ends, line by line, without building it. Counts brackets outside of strings; a string
 * cannot go over a line's end. O(text).
 */
export class JsonExtent {
  #depth = 0;
  #begun = false;

  /** `open`: more lines belong to the value. `closed`: it ends here. `broken`: it is no JSON. */
  feed(line: string): "open" | "closed" | "broken" {
    let inString = false;
    for (let index = 0; index < line.length; index += 1) {
      const character = line[index];
      if (inString) {
        if (character === "\\") index += 1;
        else if (character === '"') inString = false;
      } else if (character === '"') {
        inString = true;
      } else if (character === "{" || character === "[") {
        if (this.#begun && this.#depth === 0) return "broken";
        this.#begun = true;
        this.#depth += 1;
      } else if (character === "}" || character === "]") {
        this.#depth -= 1;
        if (this.#depth < 0) return "broken";
      }
    }
    if (inString || !this.#begun) return "broken";
    return this.#depth === 0 ? "closed" : "open";
  }
}
