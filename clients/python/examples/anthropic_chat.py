"""One turn with Anthropic's library that remembers: anthropic_chat.py "Where is the spare key?" """

import os
import sys

from anthropic import Anthropic
from throughline import Memory

memory = Memory(os.environ.get("THROUGHLINE_URL", "http://127.0.0.1:7717"))
client, chat = Anthropic(), "api:chat:ana"


def turn(message: str) -> str:
    context = memory.context(chat, message)["messages"]
    answer = client.messages.create(model="claude-sonnet-4-5", max_tokens=1000, **context)
    memory.record(chat, message)
    return memory.record(chat, answer.content[0].text, role="assistant")["text"]


print(turn(sys.argv[1]))
