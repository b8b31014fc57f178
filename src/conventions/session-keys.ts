const IDENTIFIERS = ["sessionId", "session_id", "conversationId", "threadId", "chatId"] as const;

/**
 * Attributes that carry a session id, best first. `mcp.session.id` (a transport) and `langsmith.trace.session_id`
 * (a project) are none.
 */
export const SESSION_KEYS: readonly string[] = [
  "session.id",
  "langfuse.session.id",
  "gen_ai.conversation.id",
  "conversation.id",
  "traceloop.association.properties.session_id",
  "traceloop.association.properties.sessionId",
  "traceloop.association.properties.conversation_id",
  "traceloop.association.properties.thread_id",
  "traceloop.association.properties.chat_id",
  "langsmith.metadata.session_id",
  "langsmith.metadata.thread_id",
  "langsmith.metadata.conversation_id",
  ...IDENTIFIERS.map((name) => `ai.telemetry.metadata.${name}`),
  "ai.telemetry.metadata.langfuseSessionId",
  ...IDENTIFIERS.map((name) => `metadata.${name}`),
  "metadata.langfuseSessionId",
  "metadata.conversation_id",
  "metadata.thread_id",
  "metadata.chat_id",
  "metadata",
  ...IDENTIFIERS.map((name) => `ai.settings.context.${name}`),
  "gcp.vertex.agent.session_id",
  "mastra.metadata.threadId",
  "mastra.metadata.sessionId",
  "lmnr.association.properties.session_id",
  "anthropic.session.id",
  "mlflow.trace.session",
  "_ml_obs.session_id",
];

/** Members of OpenInference's `metadata` JSON that carry a session id, best first. */
export const METADATA_SESSION_MEMBERS: readonly string[] = [
  "session_id",
  "thread_id",
  "conversation_id",
  ...IDENTIFIERS.filter((name) => name !== "session_id"),
];
