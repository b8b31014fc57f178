export { attach } from "./attach.mjs";
export { run } from "./vercel-ai-agent.mjs";
