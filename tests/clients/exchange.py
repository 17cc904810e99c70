"""One connection of one Python client: what it saw, as JSON on standard output.

    exchange.py sdk|fastmcp MODE http URL
    exchange.py sdk|fastmcp MODE stdio COMMAND [ARGUMENT…]

MODE: legacy, auto, or a revision that is pinned."""

import asyncio
import json
import sys

from fastmcp import Client as FastClient
from fastmcp.client.transports import StdioTransport
from mcp import Client, StdioServerParameters


def connection(kind, mode, carrier, target, rest):
    if kind == "sdk":
        return Client(target if carrier == "http" else StdioServerParameters(command=target, args=rest), mode=mode)
    return FastClient(target if carrier == "http" else StdioTransport(target, rest), mode=mode)


async def tools_of(client):
    listed = await client.list_tools()
    return [tool.name for tool in getattr(listed, "tools", listed)]


async def text_of(client, name, arguments):
    return (await client.call_tool(name, arguments)).content[0].text


async def error_of(client, name, arguments):
    """What a failed call says: a result that is an error, or an error of the protocol."""
    try:
        result = await client.call_tool(name, arguments)
    except Exception as e:  # each client has its own classes
        return {"raised": str(e)}
    return {"isError": result.is_error, "text": result.content[0].text}


async def progress_of(client):
    """A call that tells its progress: how often it was heard."""
    heard = []

    async def on_progress(progress, total, message):
        heard.append(progress)

    more = {"progress_callback": on_progress} if isinstance(client, Client) else {"progress_handler": on_progress}
    await client.call_tool("slow_echo", {"ms": 50}, **more)
    return len(heard)


async def main(kind, mode, carrier, target, *rest):
    async with connection(kind, mode, carrier, target, list(rest)) as client:
        print(json.dumps({
            "version": client.protocol_version,
            "server": client.server_info and client.server_info.name,  # unknown to one that is pinned
            "tools": await tools_of(client),
            "text": await text_of(client, "echo", {"text": "grüß dich"}),
            "wrong": await error_of(client, "echo", {"text": 5}),
            "unknown": await error_of(client, "no_such_tool", {}),
            "progress": await progress_of(client),
            "parallel": await asyncio.gather(*(text_of(client, "echo", {"text": f"n{i}"}) for i in range(20))),
        }))


asyncio.run(main(*sys.argv[1:]))
