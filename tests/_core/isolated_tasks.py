"""What the isolated process does in the tests."""

import os
import time

from bnengine._core import isolated

TASKS = ("echo", "refuse", "abort", "defect", "fill", "spin", "sleep", "leave", "take", "end")


def serve():
    """Be an isolated process that may be asked for these."""
    isolated.serve({name: f"{__name__}:{name}" for name in TASKS})


def echo(content, word="", repeat=1):
    os.write(1, b"libraries print now and then")
    return [word, len(content), os.getpid(), os.getppid()], content * repeat


def refuse(content, sentence):
    raise ValueError(sentence)


def abort(content):
    os.abort()


def defect(content):
    raise ZeroDivisionError


def fill(content, megabytes):
    return len(bytearray(megabytes * 2**20)), b""


def spin(content):
    while True:
        isolated.report_progress(3, 7)


def sleep(content):
    isolated.report_progress(1, 2)
    time.sleep(3600)


def leave(content):
    """End as if all were well, as a library may."""
    os._exit(0)


def take(content):
    """Read what is not its own: what the next request would bring."""
    return os.read(0, 100).decode(), b""


def end(content, number):
    os.kill(os.getpid(), number)
    time.sleep(3600)
