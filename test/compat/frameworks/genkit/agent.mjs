// Genkit: a flow around `generate`, with the spans that Genkit makes by itself.
import { openAI } from "@genkit-ai/compat-oai/openai";
import { genkit, z } from "genkit";
import { withSession } from "otel-trajectory";
import { instructionsOf } from "./scenarios.mjs";

export { attach } from "./attach.mjs";

const FIELDS = { string: () => z.string(), number: () => z.number() };

export async function run({ id, prompt, session, agents, baseURL }) {
  const ai = genkit({ plugins: [openAI({ apiKey: "none", baseURL })] });
  const model = openAI.model("gpt-4.1-mini");
  const [entry, ...others] = Object.keys(agents);
  const own = (name) =>
    agents[name].map(({ name: tool, description, fields, execute }) => {
      const inputSchema = z.object(
        Object.fromEntries(Object.entries(fields).map(([key, type]) => [key, FIELDS[type]()])),
      );
      return ai.defineTool({ name: tool, description, inputSchema }, execute);
    });
  const ask = async (name, question, tools) => {
    const options = { model, system: instructionsOf(name), prompt: question, tools };
    if (id !== "S1") return (await ai.generate(options)).text;
    return (await ai.generateStream(options).response).text;
  };
  const delegates = others.map((name) =>
    ai.defineTool(
      { name, description: `Delegates to ${name}.`, inputSchema: z.object({ input: z.string() }) },
      ({ input }) => ask(name, input, own(name)),
    ),
  );
  const tools = [...own(entry), ...delegates];
  const flow = ai.defineFlow(entry, async (question) => {
    try {
      return await ask(entry, question, tools);
    } catch (error) {
      // A tool that throws ends Genkit's run; the application asks once more.
      if (id !== "S6") throw error;
      return ask(entry, question, tools);
    }
  });
  if (session === undefined) return flow(prompt);
  // docs: session
  return withSession(session, () => flow(prompt));
  // docs: end
}
