"""One Python client whose person is asked: what it was asked and what the tool then said, as JSON on standard output.

    ask.py sdk|fastmcp MODE URL NAME

MODE as in exchange.py; the person answers every form with NAME."""

import asyncio
import json
import sys

from fastmcp import Client as FastClient
from mcp import Client
from mcp.types import ElicitResult


async def main(kind, mode, url, name):
    asked = []

    def answer(message):
        asked.append(message)
        return ElicitResult(action="accept", content={"name": name})

    async def of_sdk(context, params):
        return answer(params.message)

    async def of_fastmcp(message, form, params, context):
        return answer(message)

    client = (Client(url, mode=mode, elicitation_callback=of_sdk) if kind == "sdk"
              else FastClient(url, mode=mode, elicitation_handler=of_fastmcp))
    async with client:
        result = await client.call_tool("greet", {"who": name})
    print(json.dumps({"asked": asked, "text": result.content[0].text}))


asyncio.run(main(*sys.argv[1:]))
