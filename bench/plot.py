"""Pictures of figures, as SVG: bars beside each other, and curves on logarithmic axes."""

import math
from xml.sax.saxutils import escape

COLOURS = ["#1f5fa8", "#8a8f98", "#c2571a", "#3d8b4f", "#7b4fa3", "#a8841f", "#b03060", "#2b8c8c"]
FONT = 'font-family="sans-serif" font-size="12"'


def text(x, y, words, anchor="start", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {FONT} {more}>{escape(words)}</text>'


def line(x1, y1, x2, y2, colour="#d0d4da", width=1):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"/>'


def picture(width, height, parts):
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
            f'<rect width="100%" height="100%" fill="white"/>')
    return "\n".join([head, *parts, "</svg>"]) + "\n"


def short(value):
    """A number as an axis has it: 20, 1.5k, 3M."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def bars(title, rows, unit, marked=()):
    """rows: [(name, median, low, high)], longest bar = largest median; what is between low and high is a thin line.
    Names in `marked` have the first colour, all others the second."""
    left, bar, gap, width = 250, 18, 8, 820
    largest = max((high for _, _, _, high in rows), default=1) or 1
    scale = (width - left - 90) / largest
    parts = [text(12, 22, title, more='font-weight="bold"')]
    for number, (name, median, low, high) in enumerate(rows):
        y = 40 + number * (bar + gap)
        colour = COLOURS[0] if name in marked else COLOURS[1]
        parts += [text(left - 8, y + 13, name, "end"),
                  f'<rect x="{left}" y="{y}" width="{max(median * scale, 1):.1f}" height="{bar}" fill="{colour}"/>',
                  line(left + low * scale, y + bar / 2, left + high * scale, y + bar / 2, "#111", 1.5),
                  text(left + high * scale + 6, y + 13, f"{short(median)} {unit}")]
    return picture(width, 50 + len(rows) * (bar + gap), parts)


def ticks(low, high):
    """Powers of ten over the range."""
    return [10.0 ** n for n in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def curves(title, x_name, y_name, series):
    """series: {name: [(x, y)]}, all above zero; both axes are logarithmic."""
    width, height, left, top, right, bottom = 820, 460, 80, 40, 200, 60
    points = [point for line_points in series.values() for point in line_points]
    xs, ys = ticks(min(x for x, _ in points), max(x for x, _ in points)), ticks(min(y for _, y in points), max(y for _, y in points))

    def place(value, marks, start, length):
        low, high = math.log10(marks[0]), math.log10(marks[-1])
        return start + (math.log10(value) - low) / ((high - low) or 1) * length

    def at(x, y):
        return place(x, xs, left, width - left - right), height - bottom - place(y, ys, 0, height - top - bottom)

    parts = [text(12, 22, title, more='font-weight="bold"'), text((left + width - right) / 2, height - 16, x_name, "middle"),
             text(16, top - 4, y_name)]
    for mark in xs:
        parts += [line(at(mark, ys[0])[0], top, at(mark, ys[0])[0], height - bottom),
                  text(at(mark, ys[0])[0], height - bottom + 16, short(mark), "middle")]
    for mark in ys:
        parts += [line(left, at(xs[0], mark)[1], width - right, at(xs[0], mark)[1]),
                  text(left - 6, at(xs[0], mark)[1] + 4, short(mark), "end")]
    for number, (name, line_points) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        way = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in sorted(line_points)))
        parts += [f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="2"/>',
                  line(width - right + 14, top + 18 * number + 8, width - right + 34, top + 18 * number + 8, colour, 3),
                  text(width - right + 40, top + 18 * number + 12, name)]
    return picture(width, height, parts)
