"""What the isolated process does in the tests."""

import os
import time

from bnengine._core import isolated


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
