"""Uses every tool through the official client, over a command's pipes or over HTTP. The client checks each document
against the schema that the tool declares."""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


async def use(streams):
    async with ClientSession(streams[0], streams[1]) as session:
        begun = await session.initialize()
        print("instructions", "before you say that you do not know" in begun.instructions)
        tools = (await session.list_tools()).tools
        print("tools", *[tool.name for tool in tools])

        async def call(name, **arguments):
            result = await session.call_tool(name, arguments)
            print(name, "failed" if result.is_error else "done")
            return result

        added = await call("add_memory", text="I play the oboe")
        print(added.structured_content["memories"][0]["text"])
        found = await call("search_memories", query="spare key")
        hit = found.structured_content["hits"][0]
        print(hit["text"])
        read = await call("get_conversation", id=hit["conversation"])
        print(len(read.structured_content["messages"]))
        context = await call("get_context", message="What do I play?", budget=2000)
        print("I play the oboe" in context.content[0].text)
        preview = await call("forget_memory", topic="oboe")
        print(len(preview.structured_content["matches"]), preview.structured_content["forgotten"])
        gone = await call("forget_memory", topic="oboe", confirm=True)
        print(gone.structured_content["forgotten"])
        back = await call("forget_memory", undo=gone.structured_content["receipt"])
        print(back.structured_content["undone"])
        await call("search_memories")


async def main():
    if sys.argv[1].startswith("http"):
        client = create_mcp_http_client(headers={"X-Throughline-Chat": "cli:chat:main"})
        async with client, streamable_http_client(sys.argv[1], http_client=client) as streams:
            await use(streams)
    else:
        server = StdioServerParameters(command=sys.argv[1], args=["mcp"], env=json.loads(sys.argv[2]))
        async with stdio_client(server) as streams:
            await use(streams)


asyncio.run(main())
