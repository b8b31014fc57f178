/**
 * What an imported package exports. Of a CommonJS package whose exports cannot be told from its text (protobufjs 7 is one)
 * Node gives them all as the default export and none by name.
 */
export function exportsOf<T extends object>(imported: T): T {
  const named = Object.keys(imported).some((name) => name !== "default" && name !== "module.exports");
  const whole = (imported as { default?: unknown }).default;
  return named || typeof whole !== "object" || whole === null ? imported : (whole as T);
}
