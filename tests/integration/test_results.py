#!/usr/bin/env python3
"""Results that are too large for a model: it is shown the begin, and the rest can be read in pages."""

import base64
import functools
import re
import time

from harness import Daemon, main, same, wait_for
from mcp_wire import Session

SOME = ["a", "ä", "€", "😀", "\n", '"', "7"]
MIB = 1 << 20


@functools.cache
def text_of(count):
    parts, size, i = [], 0, 0
    while size < count:
        part = SOME[i * i % 1013 % 7].encode()
        if size + len(part) > count:
            part = b"x"
        parts.append(part)
        size += len(part)
        i += 1
    return b"".join(parts)


def large(d, kind, size, **more):
    return d.mcp("tools/call", {"name": "large", "arguments": {"kind": kind, "bytes": size}}, **more).json["result"]


def links(result):
    return [part for part in result["content"] if part["type"] == "resource_link"]


def read(d, uri):
    return d.mcp("resources/read", {"uri": uri}, {"Mcp-Name": uri}, timeout=60)


def page(d, uri, session=None):
    result = session.ask("resources/read", {"uri": uri})["result"] if session else read(d, uri).json["result"]
    contents, = result["contents"]
    same(contents["uri"], uri)
    return contents


def bytes_of(contents):
    return contents["text"].encode() if "text" in contents else base64.b64decode(contents["blob"], validate=True)


def read_all(d, uri, session=None):
    """Everything, page by page; by a client of the handshake when there is a session."""
    got, pages = [], 0
    while uri:
        contents = page(d, uri, session)
        same(contents["_meta"]["toolhost/offset"], sum(map(len, got)))
        got.append(bytes_of(contents))
        uri = contents["_meta"].get("toolhost/next")
        pages += 1
    same(contents["_meta"]["toolhost/size"], sum(map(len, got)))
    return b"".join(got), pages


def test_small_ones_stay():
    with Daemon(plugins=["large"]) as d:
        result = large(d, "text", 50000)
        same([part["type"] for part in result["content"]], ["text", "text"])
        same(result["content"][0]["text"].encode(), text_of(50000))


def test_a_page_after_another():
    with Daemon(plugins=["large"], config={"results": {"shown": "1K"}}) as d:
        whole = text_of(5000)
        result = large(d, "text", 5000)
        begin, sentence, last, link = result["content"]
        assert 900 < len(begin["text"].encode()) <= 1024 and whole.startswith(begin["text"].encode()), begin
        shown = f'{len(begin["text"].encode()):,}'
        same(sentence["text"], f'[This is the first {shown} of 5,000 bytes of text. Read the rest as the resource '
                               f'{link["uri"]}?offset={len(begin["text"].encode())}]')
        same(last["text"], "That was all.")
        assert re.fullmatch(r"toolhost://results/[0-9a-f]{32}", link["uri"]), link
        same((link["mimeType"], link["size"]), ("text/plain", 5000))
        same(read_all(d, link["uri"])[0], whole)
        for limit in (1, 2, 3, 5, 777):
            same(read_all(d, f'{link["uri"]}?limit={limit}&offset=0')[0], whole, f"pages of {limit}")
        for offset in range(1200, 1210):  # in the middle of a character, too
            contents = page(d, f'{link["uri"]}?offset={offset}')
            at = contents["_meta"]["toolhost/offset"]
            assert offset - 3 <= at <= offset, (offset, at)
            assert whole[at:].startswith(bytes_of(contents)), contents
        same(page(d, f'{link["uri"]}?offset=5000')["text"], "")
        same(read(d, f'{link["uri"]}?offset=5001').error, -32602)
        for bad in ("?offset=", "?offset=-1", "?limit=0", "?page=2", "?offset=1&", "?offset=9999999999999999"):
            same(read(d, link["uri"] + bad).error, -32602, bad)


def test_twenty_megabytes():
    with Daemon(plugins=["large"], policies={"large": {"limits": {"result": "64M", "memory": "512M"}}}) as d:
        whole = text_of(20 * MIB)
        started = time.monotonic()
        result = large(d, "text", 20 * MIB, timeout=120)
        print(f"# answered after {time.monotonic() - started:.2f} s")
        link, = links(result)
        shown = result["content"][0]["text"].encode()
        assert 65000 < len(shown) <= 65536 and whole.startswith(shown), len(shown)
        assert "of 20,971,520 bytes of text" in result["content"][1]["text"], result["content"][1]
        got, pages = read_all(d, link["uri"] + "?limit=1048576")
        assert got == whole and pages > 19, (len(got), pages)
        path = "/v1/results/" + link["uri"].rsplit("/", 1)[1]
        answer = d.http("GET", path, timeout=60)
        assert answer.status == 200 and answer.body == whole
        same(answer.headers["content-type"], "text/plain; charset=utf-8")
        part = d.http("GET", path, headers={"Range": "bytes=1000000-9999999"}, timeout=60)
        same((part.status, part.headers["content-range"]), (206, f"bytes 1000000-9999999/{20 * MIB}"))
        assert part.body == whole[1000000:10000000]


def test_twenty_megabytes_for_the_handshake():
    with Daemon(plugins=["large"], policies={"large": {"limits": {"result": "64M", "memory": "512M"}}}) as d:
        session = Session(d)
        result = session.ask("tools/call", {"name": "large", "arguments": {"kind": "text", "bytes": 20 * MIB}})["result"]
        link, = links(result)
        assert len(result["content"][0]["text"].encode()) <= 65536
        got, pages = read_all(d, link["uri"], session)  # pages as large as the daemon makes them
        assert got == text_of(20 * MIB) and pages > 19, (len(got), pages)


def test_calls_go_on_meanwhile():
    with Daemon(plugins=["large", "echo"], policies={"large": {"limits": {"result": "64M", "memory": "512M"}}}) as d:
        before = d.http("GET", "/metrics").body
        assert b"toolhost_results_kept 0" in before
        for _ in range(3):
            large(d, "text", 10 * MIB, timeout=120)
            same(d.call("echo", {"text": "x"}).text, "x")
        kept = d.http("GET", "/metrics").body
        assert b"toolhost_results_kept 3\n" in kept and b"toolhost_results_kept_bytes 31457280\n" in kept


def test_ranges():
    with Daemon(plugins=["large"], config={"results": {"shown": "1K"}}) as d:
        whole = text_of(3000)
        link, = links(large(d, "image", 3000))
        path = "/v1/results/" + link["uri"].rsplit("/", 1)[1]
        for header, first, last in (("bytes=0-0", 0, 0), ("bytes=10-19", 10, 19), ("bytes=2990-", 2990, 2999),
                                    ("bytes=-5", 2995, 2999), ("bytes=2990-9999", 2990, 2999), ("bytes=-9999", 0, 2999)):
            answer = d.http("GET", path, headers={"Range": header})
            same((answer.status, answer.body, answer.headers["content-range"]),
                 (206, whole[first:last + 1], f"bytes {first}-{last}/3000"), header)
        for header in ("bytes=3000-", "bytes=-0"):
            answer = d.http("GET", path, headers={"Range": header})
            same((answer.status, answer.headers["content-range"]), (416, "bytes */3000"), header)
        for header in ("bytes=5-4", "bytes=x", "bytes=1-2,5-6", "lines=1-2", "bytes=1-2x"):
            answer = d.http("GET", path, headers={"Range": header})
            same((answer.status, answer.body), (200, whole), header)
        same(answer.headers["content-type"], "image/png")
        same(answer.headers["x-content-type-options"], "nosniff")


def test_each_kind():
    with Daemon(plugins=["large"], config={"results": {"shown": "1K"}}) as d:
        result = large(d, "image", 5000)
        same([part["type"] for part in result["content"]], ["text", "resource_link"])
        assert result["content"][0]["text"].startswith("[5,000 bytes of image are not shown."), result
        link, = links(result)
        same((read_all(d, link["uri"])[0], link["mimeType"]), (text_of(5000), "image/png"))

        result = large(d, "parts", 5000)
        link, = links(result)
        shown = [part for part in result["content"] if part["type"] == "text"][:-1]
        rest = d.http("GET", "/v1/results/" + link["uri"].rsplit("/", 1)[1]).json
        same([part["text"].encode() for part in shown + rest], [text_of(50)] * 100)

        result = large(d, "structured", 5000)
        assert "structuredContent" not in result, result
        link = links(result)[-1]
        same(len(d.http("GET", "/v1/results/" + link["uri"].rsplit("/", 1)[1]).json["x"].encode()), 5000)

        result = large(d, "failed", 5000)
        same((result["isError"], result["content"][0]["text"]), (True, "It went wrong."))
        same(read_all(d, links(result)[0]["uri"])[0], text_of(5000))


def test_whose_it_is():
    with Daemon(plugins=["large"], config={"results": {"shown": "1K"}}) as d:
        with_links = Session(d)
        ask = {"name": "large", "arguments": {"kind": "text", "bytes": 5000}}
        link, = links(with_links.ask("tools/call", ask)["result"])
        got = with_links.ask("resources/read", {"uri": link["uri"]})["result"]["contents"][0]["text"]
        assert text_of(5000).startswith(got.encode()) and got
        same(Session(d).ask("resources/read", {"uri": link["uri"]})["error"]["code"], -32002)
        gone = read(d, link["uri"])
        same((gone.error, gone.json["error"]["data"]["uri"]), (-32602, link["uri"]))
        same(d.http("GET", "/v1/results/" + link["uri"].rsplit("/", 1)[1]).status, 404)
        same(read(d, "toolhost://results/" + "0" * 32).error, -32602)
        old = Session(d, version="2025-03-26").ask("tools/call", ask)["result"]
        same([part["type"] for part in old["content"]], ["text", "text", "text"])
        assert "toolhost://results/" in old["content"][1]["text"]


def test_plain_http_is_whole_unless_asked():
    with Daemon(plugins=["large"], config={"results": {"shown": "1K"}}) as d:
        body = {"arguments": {"kind": "text", "bytes": 5000}}
        same(len(d.http("POST", "/v1/tools/large/call", body).json["content"]), 2)
        shown = d.http("POST", "/v1/tools/large/call?preview=true", body).json
        same([part["type"] for part in shown["content"]], ["text", "text", "text", "resource_link"])


def test_bounds():
    bounds = {"shown": "1K", "max": 3, "memory": "1M", "ttl": "1s"}
    with Daemon(plugins=["large"], config={"results": bounds}) as d:
        uris = [links(large(d, "text", 5000))[0]["uri"] for _ in range(4)]
        same([read(d, uri).status == 200 and "result" in read(d, uri).json for uri in uris], [False, True, True, True])
        result = large(d, "text", 2 * MIB)
        same(links(result), [])
        assert "The rest was not kept" in result["content"][1]["text"], result["content"][1]
        wait_for(lambda: b"toolhost_results_kept 0\n" in d.http("GET", "/metrics").body, what="the last one to be forgotten")
        same(read(d, uris[3]).error, -32602)


def test_without_a_limit():
    with Daemon(plugins=["large"], config={"results": {"shown": 0}}) as d:
        same(large(d, "text", 500000)["content"][0]["text"].encode(), text_of(500000))
        same(read(d, "toolhost://results/" + "0" * 32).error, -32602)


if __name__ == "__main__":
    main()
