export { attach } from "./attach.mjs";
export { run } from "./vercel-ai-7-agent.mjs";
