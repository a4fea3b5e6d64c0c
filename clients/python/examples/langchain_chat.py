"""One turn with LangChain that remembers: langchain_chat.py "Where is the spare key?" """

import os
import sys

from langchain_openai import ChatOpenAI
from throughline import Memory

memory = Memory(os.environ.get("THROUGHLINE_URL", "http://127.0.0.1:7717"))
model, chat = ChatOpenAI(model="gpt-5-mini"), "api:chat:ana"


def turn(message: str) -> str:
    context = memory.context(chat, message, provider="openai")
    answer = model.invoke(context["messages"]["messages"])
    memory.record(chat, message)
    return memory.record(chat, str(answer.content), role="assistant")["text"]


print(turn(sys.argv[1]))
