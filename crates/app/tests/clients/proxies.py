"""Talks through the proxies with the official libraries, and prints what it heard as one JSON object."""

import json
import sys

import anthropic
import openai
from langchain_openai import ChatOpenAI

server = sys.argv[1]
chat = {"X-Throughline-Chat": "api:chat:python"}
gpt = openai.OpenAI(base_url=f"{server}/openai/v1", api_key="sk-theirs", default_headers=chat, max_retries=0)
claude = anthropic.Anthropic(base_url=f"{server}/anthropic", api_key="sk-ant-theirs", default_headers=chat, max_retries=0)
heard = {}

told = gpt.chat.completions.create(model="gpt-5-mini", messages=[{"role": "user", "content": "The spare key is with Ana."}])
heard["plain"] = told.choices[0].message.content

asked = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who has the spare key?"}]
stream = gpt.chat.completions.create(model="gpt-5-mini", messages=asked, stream=True)
heard["stream"] = "".join(piece.choices[0].delta.content or "" for piece in stream)

heard["responses"] = gpt.responses.create(model="gpt-5-mini", input="Tell me about the spare key.").output_text
with gpt.responses.stream(model="gpt-5-mini", input="Once more: the spare key?") as stream:
    heard["responses_stream"] = stream.get_final_response().output_text

ask = {"model": "claude-sonnet-5", "max_tokens": 100, "messages": [{"role": "user", "content": "And where is the spare key?"}]}
heard["messages"] = claude.messages.create(**ask).content[0].text
with claude.messages.stream(**{**ask, "messages": [{"role": "user", "content": "Is the spare key gone?"}]}) as stream:
    heard["messages_stream"] = stream.get_final_text()

tool = {"name": "look", "description": "Looks.", "input_schema": {"type": "object", "properties": {"where": {"type": "string"}}}}
turns = [{"role": "user", "content": "Use the tool for the shed."}]
called = claude.messages.create(model="claude-sonnet-5", max_tokens=100, tools=[tool], messages=turns)
heard["tool"] = called.content[0].input
turns += [
    {"role": "assistant", "content": called.content},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": called.content[0].id, "content": "a rake"}]},
]
heard["after_tool"] = claude.messages.create(model="claude-sonnet-5", max_tokens=100, tools=[tool], messages=turns).content[0].text

function = {"type": "function", "function": {"name": "look", "parameters": tool["input_schema"]}}
stream = gpt.chat.completions.create(
    model="gpt-5-mini", tools=[function], stream=True, messages=[{"role": "user", "content": "Use the tool for the cellar."}]
)
calls = [call for piece in stream for call in piece.choices[0].delta.tool_calls or []]
heard["function"] = json.loads("".join(call.function.arguments for call in calls))

chain = ChatOpenAI(model="gpt-5-mini", base_url=f"{server}/openai/v1", api_key="sk-theirs", default_headers=chat, max_retries=0)
heard["langchain"] = chain.invoke("Does LangChain know about the spare key?").content
heard["langchain_stream"] = "".join(piece.content for piece in chain.stream("And streamed, the spare key?"))

try:
    gpt.chat.completions.create(model="gpt-5-mini", messages=[{"role": "user", "content": "FAIL"}])
except openai.RateLimitError as error:
    heard["error"] = [error.status_code, error.body["message"], error.response.headers["x-request-id"]]
print(json.dumps(heard))
