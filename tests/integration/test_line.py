#!/usr/bin/env python3
"""The tools of a voice agent: what they say to the user, and what they ask of servers."""

import contextlib
import json
import os
import tempfile

from harness import Daemon, main, same
from test_http import Handler, Server, write_secret


class SearchEngine(Handler):
    """Answers as SearXNG and the Brave Search API do."""

    def on_searxng(self, path, nth):
        self.give({"query": "q", "results": [
            {"title": f"Page {n}", "url": f"https://{n}.example/", "content": "an <b>excerpt</b>"} for n in range(12)]})

    def on_brave(self, path, nth):
        if self.headers.get("X-Subscription-Token") != "k3y/canary":
            self.give({"error": "no key"}, 401)
        else:
            self.give({"web": {"results": [{"title": "T", "url": "https://a.example/", "description": "D"}]}})

    def on_nothing(self, path, nth):
        self.give({"results": []})

    def give(self, json_value, status=200):
        self.answer(status, json.dumps(json_value).encode(), Content_Type="application/json")


@contextlib.contextmanager
def searching(**feature):
    """A search engine, and a daemon that may ask it, with a key where the engine wants one."""
    with Server(SearchEngine) as s, tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        key = os.path.join(folder, "key")
        write_secret(key, "k3y/canary\n")
        policy = {"permissions": {"http": [
            {"url": s.url + "/brave", "private": True, "headers": {"X-Subscription-Token": "${brave}"}},
            {"url": s.url + "/nothing", "private": True}, {"url": s.url + "/searxng", "private": True}]},
                  "secrets": {"brave": key}}
        feature["url"] = s.url + feature["url"]
        with Daemon(plugins=["web_search"], policies={"web_search": policy},
                    tenants={"default": {"features": {"web_search": feature}}}) as d:
            yield s, d


def test_S4_10_U4_21_web_search_asks_searxng():
    with searching(backend="searxng", url="/searxng", search_context_size="low") as (s, d):
        answer = d.rest("web_search", {"query": "opening times & more"})
        same(answer.status, 200, answer)
        text = answer.body["content"][0]["text"]
        same(text.split("\n\n"), [f"{n + 1}. Page {n}\n   an excerpt\n   URL: https://{n}.example/" for n in range(3)])
        same(s.asked[0]["path"], "/searxng?q=opening%20times%20%26%20more&format=json")
        assert "X-Subscription-Token" not in s.asked[0]["headers"], s.asked
        same(d.rest("web_search", {"query": ""}).code, "tool_args_invalid")


def test_S4_10_U4_21_web_search_asks_brave_with_a_key_it_never_sees():
    with searching(backend="brave", url="/brave") as (s, d):
        same(d.rest("web_search", {"query": "q"}).body["content"][0]["text"], "1. T\n   D\n   URL: https://a.example/")
        same(s.asked[0]["path"], "/brave?q=q&text_decorations=false&count=5")
        same(s.asked[0]["headers"]["X-Subscription-Token"], "k3y/canary")
        assert "k3y" not in json.dumps(d.lines), "the key is in the log"


def test_U4_21_web_search_that_finds_nothing_or_may_not_ask():
    with searching(backend="searxng", url="/nothing") as (s, d):
        same(d.rest("web_search", {"query": "moon"}).body["content"][0]["text"], "No results found for: moon")
        d.tenant("default", {"features": {"web_search": {"backend": "searxng", "url": s.url + "/elsewhere"}}})
        d.wait_log("tool_build_finished", after=1)
        answer = d.rest("web_search", {"query": "moon"})
        same(answer.code, "http_not_granted")
        assert answer.message.startswith("Web search error: "), answer


if __name__ == "__main__":
    main()
