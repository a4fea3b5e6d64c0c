// Talks through the proxies with the official libraries, and prints what it heard as one JSON object.

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

const server = process.argv[2];
const more = { defaultHeaders: { "X-Throughline-Chat": "api:chat:javascript" }, maxRetries: 0 };
const gpt = new OpenAI({ baseURL: `${server}/openai/v1`, apiKey: "sk-theirs", ...more });
const claude = new Anthropic({ baseURL: `${server}/anthropic`, apiKey: "sk-ant-theirs", ...more });
const heard = {};
const model = "gpt-5-mini";
const said = (content) => [{ role: "user", content }];

const told = await gpt.chat.completions.create({ model, messages: said("The spare key is with Ana.") });
heard.plain = told.choices[0].message.content;

heard.stream = "";
for await (const piece of await gpt.chat.completions.create({ model, messages: said("Who has the spare key?"), stream: true })) {
  heard.stream += piece.choices[0].delta.content ?? "";
}

heard.responses = (await gpt.responses.create({ model, input: "Tell me about the spare key." })).output_text;

const ask = { model: "claude-sonnet-5", max_tokens: 100 };
heard.messages_stream = await claude.messages.stream({ ...ask, messages: said("Is the spare key gone?") }).finalText();

const tools = [{ name: "look", input_schema: { type: "object", properties: { where: { type: "string" } } } }];
const called = await claude.messages.stream({ ...ask, tools, messages: said("Use the tool for the shed.") }).finalMessage();
heard.tool = called.content[0].input;

try {
  await claude.messages.create({ ...ask, messages: said("FAIL") });
} catch (error) {
  heard.error = [error.status, error.error.error.message, error.headers.get("x-request-id")];
}
console.log(JSON.stringify(heard));
