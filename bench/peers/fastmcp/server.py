"""echo on FastMCP: no sessions, answers as JSON, served by uvicorn with its faster loop and parser.

  python server.py PORT|stdio"""

import sys

import uvicorn
from fastmcp import FastMCP

server = FastMCP("echo")


@server.tool
def echo(text: str) -> str:
    """Return the text you send, unchanged."""
    return text


def serve(port):
    app = server.http_app(path="/mcp", json_response=True, stateless_http=True)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning", access_log=False, loop="uvloop",
                http="httptools", timeout_keep_alive=600)


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        server.run(transport="stdio", show_banner=False)
    else:
        serve(int(sys.argv[1]))
