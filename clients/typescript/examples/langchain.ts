// One turn with LangChain that remembers: node langchain.js "Where is the spare key?"

import type { BaseMessageLike } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { Memory } from "throughline";

const memory = new Memory(process.env.THROUGHLINE_URL ?? "http://127.0.0.1:7717");
const baseURL = process.env.OPENAI_BASE_URL;
const model = new ChatOpenAI({ model: "gpt-5-mini", configuration: { baseURL } });
const chat = "api:chat:ana";

async function turn(message: string): Promise<string> {
  const context = await memory.context(chat, message, { provider: "openai" });
  const answer = await model.invoke((context.messages as { messages: BaseMessageLike[] }).messages);
  await memory.record(chat, message);
  return (await memory.record(chat, answer.text, { role: "assistant" })).text!;
}

console.log(await turn(process.argv[2]));
