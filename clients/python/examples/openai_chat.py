"""One turn with OpenAI's library that remembers: openai_chat.py "Where is the spare key?" """

import os
import sys

from openai import OpenAI
from throughline import Memory

memory = Memory(os.environ.get("THROUGHLINE_URL", "http://127.0.0.1:7717"))
client, chat = OpenAI(), "api:chat:ana"


def turn(message: str) -> str:
    context = memory.context(chat, message, provider="openai")
    answer = client.chat.completions.create(model="gpt-5-mini", messages=context["messages"]["messages"])
    memory.record(chat, message)
    return memory.record(chat, answer.choices[0].message.content or "", role="assistant")["text"]


print(turn(sys.argv[1]))
