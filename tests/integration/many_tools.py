"""Plugins of a hundred tools each, and the list of all tools read page by page."""

from harness import plugin_file, same

TOOLS = 100
TEMPLATE_NAME = b"hundred_0000"


def plugin_name(number):
    return f"hundred_{number:04}"


def tools_of(*numbers):
    return [f"{plugin_name(number)}_{tool:02}" for number in sorted(numbers) for tool in range(TOOLS)]


def put(d, number, generation=0):
    """One of the plugins where the daemon looks; each generation is another file."""
    template = plugin_file("hundred").read_bytes()
    assert TEMPLATE_NAME in template
    name = plugin_name(number)
    part = d.plugin_dir / f".{name}.part"
    part.write_bytes(template.replace(TEMPLATE_NAME, name.encode()) + f"generation {generation}".encode())
    part.chmod(0o755)
    part.rename(d.plugin_dir / f"{name}.so")


def take_away(d, number):
    (d.plugin_dir / f"{plugin_name(number)}.so").unlink()


def walk(ask, between=lambda: None):
    """The names of all pages that `ask` gives for the parameters of tools/list."""
    names, cursor = [], None
    while True:
        result = ask({"cursor": cursor} if cursor else {})
        names += [tool["name"] for tool in result["tools"]]
        cursor = result.get("nextCursor")
        if not cursor:
            return names
        between()


def check_walk(names, stayed):
    """Is each tool there once, in order, and all that stayed?"""
    same(len(names), len(set(names)), "names without the second ones")
    same(names, sorted(names), "order")
    same(sorted(set(tools_of(*stayed)) - set(names)), [], "missing of those that stayed")
