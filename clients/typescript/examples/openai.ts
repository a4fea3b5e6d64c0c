// One turn with OpenAI's library that remembers: node openai.js "Where is the spare key?"

import OpenAI from "openai";
import { Memory } from "throughline";

const memory = new Memory(process.env.THROUGHLINE_URL ?? "http://127.0.0.1:7717");
const client = new OpenAI();
const chat = "api:chat:ana";

async function turn(message: string): Promise<string> {
  const context = await memory.context(chat, message, { provider: "openai" });
  const { messages } = context.messages as { messages: OpenAI.Chat.ChatCompletionMessageParam[] };
  const answer = await client.chat.completions.create({ model: "gpt-5-mini", messages });
  await memory.record(chat, message);
  const recorded = await memory.record(chat, answer.choices[0].message.content ?? "", { role: "assistant" });
  return recorded.text!;
}

console.log(await turn(process.argv[2]));
