export { attach } from "./attach-plain.mjs";
export { run } from "./vercel-ai-agent.mjs";
