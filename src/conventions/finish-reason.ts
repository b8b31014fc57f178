const SPELLINGS = ["toolcall", "tooluse", "functioncall"];

/** Longest finish reason that is looked at; the longest real ones are lists of a few words. */
const MAX_LENGTH = 200;

/**
 * Whether a finish reason says that the model stopped in order to call tools. Takes a word, a list of words, and lists
 * written as text; spelling differs by `-`, `_`, and case.
 */
export function saysTools(reason: unknown): boolean {
  try {
    return says(reason);
  } catch {
    // A proxy of the host: what cannot be read says nothing.
    return false;
  }
}

function says(reason: unknown): boolean {
  if (Array.isArray(reason)) return reason.slice(0, 16).some((item) => typeof item === "string" && says(item));
  if (typeof reason !== "string" || reason.length > MAX_LENGTH || reason === "stop") return false;
  const plain = reason.replaceAll("-", "").replaceAll("_", "").toLowerCase();
  return SPELLINGS.some((spelling) => plain.includes(spelling));
}
