/** A TOOL name as names are compared: lower case, without `-` and `_`. Unicode forms stay different. */
export function normalizeName(name: string): string {
  return name.replaceAll("-", "").replaceAll("_", "").toLowerCase();
}

const MCP_PREFIX = "mcp__";

/** `mcp__<server>__X` is `X`, the server ending at the next `__`; every other prefix stays. */
export function bareToolName(rawName: string): string {
  if (!rawName.startsWith(MCP_PREFIX)) return rawName;
  const end = rawName.indexOf("__", MCP_PREFIX.length);
  if (end <= MCP_PREFIX.length || end + 2 >= rawName.length) return rawName;
  return rawName.slice(end + 2);
}
