import { aip } from "./aip.ts";
import type { Convention } from "./convention.ts";
import { genAi } from "./gen-ai.ts";
import { mcp } from "./mcp.ts";
import { openInference } from "./openinference.ts";
import { vercelAi } from "./vercel-ai.ts";

/**
 * Every convention. The kind follows the precedence of the rules; names, arguments and outputs that the deciding
 * convention lacks are taken from the others in this order.
 */
export const DEFAULT_CONVENTIONS: readonly Convention[] = Object.freeze([aip, mcp, genAi, vercelAi, openInference]);
