#!/usr/bin/env python3
"""Records steps.txt with the real program on a terminal, and writes what it shows as an animated SVG.

    pip install pyte
    cargo build --release && docs/recording/record.py target/release/throughline

The home is empty, the model is the built-in one and the clock is set, each program a day after the one before, so that
the recording is the same on every machine.
"""

import html
import os
import pathlib
import pty
import select
import struct
import sys
import tempfile
import fcntl
import termios

import pyte

HERE = pathlib.Path(__file__).parent
COLUMNS, ROWS = 80, 22
CELL, LINE, EDGE = 8.4, 18, 14
TYPING, READING = 0.045, 1.6
CLOCK = "2026-11-{day}T09:00:00Z"
THEME = {"back": "#14171c", "text": "#d7dce2", "dim": "#8a93a0", "bold": "#ffffff"}
COLORS = {
    "black": "#5c6370", "red": "#e06c75", "green": "#98c379", "brown": "#e5c07b", "yellow": "#e5c07b",
    "blue": "#61afef", "magenta": "#c678dd", "cyan": "#56b6c2", "white": "#d7dce2",
}


class Terminal:
    """The program on a pseudo-terminal, and its screen."""

    def __init__(self, screen, words, environment):
        self.screen, self.stream = screen, pyte.ByteStream(screen)
        self.child, self.master = pty.fork()
        if self.child == 0:
            os.execvpe(words[0], words, environment)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))

    def read(self, quiet):
        """Reads until nothing was written for a while; says whether the program still runs."""
        while select.select([self.master], [], [], quiet)[0]:
            try:
                written = os.read(self.master, 65536)
            except OSError:
                written = b""
            if not written:
                os.waitpid(self.child, 0)
                return False
            self.stream.feed(written)
            # The size is asked for by some programs through the terminal itself.
            if b"\x1b[6n" in written:
                self.write(f"\x1b[{self.screen.cursor.y + 1};{self.screen.cursor.x + 1}R")
        return True

    def write(self, text):
        os.write(self.master, text.encode())


def rows(screen):
    """The screen as rows of runs: text, color, weight."""
    shown = []
    for y in range(ROWS):
        runs, line = [], screen.buffer[y]
        for x in range(COLUMNS):
            cell = line[x]
            color = COLORS.get(cell.fg, THEME["text"])
            style = (THEME["bold"] if cell.bold and cell.fg == "default" else color, cell.bold, cell.italics)
            if runs and runs[-1][1] == style:
                runs[-1][0] += cell.data
            else:
                runs.append([cell.data, style])
        shown.append(runs)
    return shown


def drawn(frame):
    lines = []
    for y, runs in enumerate(frame):
        x, spans = 0, []
        for text, (color, bold, italic) in runs:
            if text.strip():
                weight = ' font-weight="600"' if bold else ""
                slant = ' font-style="italic"' if italic else ""
                left = EDGE + x * CELL
                spans.append(f'<tspan x="{left:.1f}" fill="{color}"{weight}{slant}>{html.escape(text.rstrip())}</tspan>')
            x += len(text)
        if spans:
            lines.append(f'<text y="{EDGE + (y + 1) * LINE - 5}" xml:space="preserve">{"".join(spans)}</text>')
    return "".join(lines)


def svg(frames):
    """Frames, each with how long it stands, one after the other, for ever."""
    whole = sum(seconds for _, seconds in frames)
    width, height = 2 * EDGE + COLUMNS * CELL, 2 * EDGE + ROWS * LINE
    begins, parts, rules = 0.0, [], []
    for number, (frame, seconds) in enumerate(frames):
        first, last = 100 * begins / whole, 100 * (begins + seconds) / whole
        rules.append(
            f"@keyframes f{number}{{0%,{first:.3f}%{{visibility:hidden}}{first + 0.001:.3f}%,{last:.3f}%"
            f"{{visibility:visible}}{min(last + 0.001, 100):.3f}%,100%{{visibility:hidden}}}}"
            f".f{number}{{visibility:hidden;animation:f{number} {whole:.2f}s step-end infinite}}"
        )
        parts.append(f'<g class="f{number}">{drawn(frame)}</g>')
        begins += seconds
    still = f"@media (prefers-reduced-motion:reduce){{g{{animation:none!important}}.f{len(frames) - 1}{{visibility:visible!important}}}}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14" role="img" '
        f'aria-label="A chat is ended and started again, and the assistant remembers.">'
        f"<style>{''.join(rules)}{still}</style>"
        f'<rect width="100%" height="100%" rx="8" fill="{THEME["back"]}"/>{"".join(parts)}</svg>\n'
    )


def main():
    program = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "target/release/throughline")
    steps = [line for line in (HERE / "steps.txt").read_text().splitlines() if line and not line.startswith("#")]
    home = tempfile.mkdtemp()
    environment = {
        "HOME": home, "PATH": "/usr/bin:/bin", "TERM": "xterm-256color", "COLORTERM": "truecolor",
        "LANG": "C.UTF-8", "THROUGHLINE_HOME": f"{home}/memory", "THROUGHLINE_MODEL": "offline",
    }
    screen, frames, terminal, day = pyte.Screen(COLUMNS, ROWS), [], None, 15

    def show(seconds):
        frames.append((rows(screen), seconds))

    def shell(text):
        pyte.Stream(screen).feed(text)

    for step in steps:
        mark, text = step.split(" ", 1)
        if mark == "$":
            shell("\x1b[32m$\x1b[0m ")
            show(0.4)
            shell(text)
            show(0.6)
            shell("\r\n")
            day += 1
            words = [program, "--now", CLOCK.format(day=day), *text.split()[1:]]
            terminal = Terminal(screen, words, environment)
            terminal.read(1.0)
            show(0.8)
            continue
        for at in range(0, len(text), 3):
            terminal.write(text[at:at + 3])
            terminal.read(0.05)
            show(3 * TYPING)
        terminal.write("\r")
        is_running = terminal.read(2.0)
        if not is_running and screen.cursor.x:
            shell("\r\n")
        show(READING)
    show(3.0)
    (HERE / "restart-and-recall.svg").write_text(svg(frames))


if __name__ == "__main__":
    main()
