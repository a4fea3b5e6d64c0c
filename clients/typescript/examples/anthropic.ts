// One turn with Anthropic's library that remembers: node anthropic.js "Where is the spare key?"

import Anthropic from "@anthropic-ai/sdk";
import { Memory } from "throughline";

const memory = new Memory(process.env.THROUGHLINE_URL ?? "http://127.0.0.1:7717");
const client = new Anthropic();
const chat = "api:chat:ana";

async function turn(message: string): Promise<string> {
  const context = await memory.context(chat, message);
  const read = context.messages as { system: string; messages: Anthropic.MessageParam[] };
  const answer = await client.messages.create({ model: "claude-sonnet-4-5", max_tokens: 1000, ...read });
  await memory.record(chat, message);
  const text = answer.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  return (await memory.record(chat, text, { role: "assistant" })).text!;
}

console.log(await turn(process.argv[2]));
