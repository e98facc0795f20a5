/** Events as the host sends them, for tests. */

import type { AnyCard, Block, SessionEvent, StreamChunk } from "../src/wire";

export class Log {
  readonly events: SessionEvent[] = [];
  time = 1_000_000;

  add(type: string, data: unknown, more: Partial<SessionEvent> = {}): SessionEvent {
    this.time += 100;
    const event = { seq: this.events.length, type, time: this.time, data, ...more } as SessionEvent;
    this.events.push(event);
    return event;
  }

  prompt(text: string, id = `u${this.events.length}`): SessionEvent {
    const content = [{ type: "text", text }];
    const message = { id, role: "user", content, source: { kind: "user" } };
    return this.add("user/message", message, { surfaceOp: { op: "append" } });
  }

  open(turn: number): void {
    this.add("turn/start", { turn });
    this.step(turn, 1);
  }

  step(turn: number, step: number): void {
    this.add("step/start", { turn, step });
  }

  chunk(turn: number, step: number, chunk: StreamChunk): SessionEvent {
    return this.add("assistant/chunk", { turn, step, chunk });
  }

  answer(turn: number, step: number, content: Block[], more: object = {}): SessionEvent {
    const source = { kind: "model", provider: "p", model: "m" };
    const message = { id: `a${this.events.length}`, role: "assistant", content, source };
    const usage = { inputTokens: 100, outputTokens: 20 };
    const data = { turn, step, message, usage, ...more };
    return this.add("assistant/message", data, { surfaceOp: { op: "append" } });
  }

  call(turn: number, step: number, callId: string, card: AnyCard): SessionEvent {
    const data = { turn, step, callId, name: "bash", arguments: "{}" };
    return this.add("tool/call", data, { card });
  }

  result(
    turn: number,
    step: number,
    callId: string,
    card: AnyCard,
    { isError = false, code = "" } = {},
  ): SessionEvent {
    const content = [{ type: "tool-result", toolCallId: callId, content: [], isError }];
    const message = { id: `r${callId}`, role: "user", content, source: { kind: "tool", callId } };
    const error = code ? { error: { name: "E", code } } : {};
    const data = { turn, step, message, ...error };
    return this.add("tool/result", data, { card, surfaceOp: { op: "append" } });
  }

  end(turn: number, reason: object = { kind: "completed" }): SessionEvent {
    return this.add("turn/end", { turn, reason });
  }
}

export function terminal(title: string, more: object = {}): AnyCard {
  return { kind: "terminal", title, ...more } as AnyCard;
}

export const text = (words: string): Block => ({ type: "text", text: words });
export const reasoning = (words: string): Block => ({ type: "reasoning", text: words });
export const toolCall = (id: string): Block => ({
  type: "tool-call",
  id,
  name: "bash",
  arguments: "{}",
});
