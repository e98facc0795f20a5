/** The protocols that a provider may speak, and where their requests go. */

export const DIALECTS: [id: string, label: string][] = [
  ["openai-chat", "OpenAI chat completions"],
  ["openai-responses", "OpenAI responses"],
  ["anthropic-messages", "Anthropic messages"],
  ["deepseek", "DeepSeek"],
  ["ollama", "Ollama"],
  ["llama-cpp", "llama.cpp"],
  ["lm-studio", "LM Studio"],
  ["vllm", "vLLM"],
];

const PATHS: Record<string, string> = {
  "openai-responses": "/responses",
  "anthropic-messages": "/v1/messages",
  ollama: "/api/chat",
};

export function validUrl(text: string): boolean {
  try {
    const { protocol, hostname } = new URL(text.trim());
    return (protocol === "http:" || protocol === "https:") && hostname !== "";
  } catch {
    return false;
  }
}

/** The address of a request, as a person would check it. */
export function requestUrl(dialect: string, baseUrl: string): string {
  return baseUrl.trim().replace(/\/+$/, "") + (PATHS[dialect] ?? "/chat/completions");
}
