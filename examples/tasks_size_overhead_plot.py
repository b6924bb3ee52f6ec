#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""tasks_size_overhead | tasks_size_overhead_plot.py > overhead.svg: the speedup over the number of CPUs, a curve for each
length of tasks. The straight line is what CPUs alone would give."""

import sys

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 480, 60, 110, 40, 50
COLOURS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb", "#000000", "#cc5500", "#007755", "#663399"]


def read(lines):
    """The lengths in us; of each number of CPUs, the speedup for each length."""
    rows = [line.rstrip("\n").rstrip("\t").split("\t") for line in lines]
    head = next((row for row in rows if row[0] == "# ncpus"), None)
    sequential = next((row for row in rows if row[0] == '"seq"'), None)
    runs = [row for row in rows if row[0].isdigit()]
    if not head or not sequential or not runs:
        sys.exit("tasks_size_overhead_plot.py: standard input is not what tasks_size_overhead prints")
    lengths = [title.split()[0] for title in head[1::2]]
    totals = [float(total) for total in sequential[2::2]]
    return lengths, {int(row[0]): [total / float(took) for total, took in zip(totals, row[2::2])] for row in runs}


def svg(lengths, speedups):
    most = max(speedups)
    top = max(most, max(max(values) for values in speedups.values()))

    def x(cpus):
        return LEFT + (WIDTH - LEFT - RIGHT) * cpus / most

    def y(speedup):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * speedup / top

    def text(at_x, at_y, words, anchor="middle", more=""):
        return f'<text x="{at_x:.1f}" y="{at_y:.1f}" font-size="12" text-anchor="{anchor}"{more}>{words}</text>'

    def line(x1, y1, x2, y2, colour):
        return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
             text(LEFT, TOP - 16, "speedup by the length of tasks", "start")]
    step = max(1, most // 8)
    for tick in range(0, most + 1, step):
        parts += [line(x(tick), y(0), x(tick), y(top), "#dddddd"), text(x(tick), y(0) + 18, tick),
                  line(x(0), y(tick), x(most), y(tick), "#dddddd"), text(x(0) - 8, y(tick) + 4, tick, "end")]
    parts += [text(x(most / 2), HEIGHT - 12, "number of cores"),
              text(18, y(top / 2), "speedup", more=f' transform="rotate(-90 18 {y(top / 2):.1f})"'),
              line(x(0), y(0), x(most), y(most), "#888888"), text(x(most) + 8, TOP - 4, "linear", "start")]
    for i, length in reversed(list(enumerate(lengths))):
        colour = COLOURS[i % len(COLOURS)]
        points = [(x(cpus), y(values[i])) for cpus, values in sorted(speedups.items())]
        row = TOP + 14 + 18 * (len(lengths) - 1 - i)
        parts.append(f'<g class="curve" stroke="{colour}" fill="{colour}"><title>{length} us</title>')
        parts.append('<polyline fill="none" points="' + " ".join(f"{a:.1f},{b:.1f}" for a, b in points) + '"/>')
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3"/>' for a, b in points]
        parts.append(f'<circle cx="{WIDTH - RIGHT + 20}" cy="{row - 4}" r="4"/></g>')
        parts.append(text(WIDTH - RIGHT + 30, row, f"{length} us", "start"))
    return "\n".join(parts + ["</svg>", ""])


if __name__ == "__main__":
    sys.stdout.write(svg(*read(sys.stdin)))
