"""Pictures of every page, and of the manual's worked examples on Network, from real runs: ``docs/images``.

All of them take some minutes; needs Chromium.
"""

import argparse
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import bnengine as bn
from app import PAGES
from pages.shared.keys import Key
from tests.pages.browsing import BROWSERS, LAUNCH, rest
from tests.pages.serving import served
from tests.patience import HANG

IMAGES = Path(__file__).parents[1] / "docs" / "images"
FIRST = bn.Experiment()
#: Page and experiment of each picture; the worked examples are those of docs/gallery.md.
PICTURES = {name: (name, FIRST) for name, _, _ in PAGES} | {
    "front": ("", FIRST),
    "data": ("", bn.Experiment(bn.Recipe("sample", "house_votes_84", missing="drawn"))),
    "table1": ("table1", FIRST),
    "example_alarm": (
        "network",
        bn.Experiment(bn.Recipe("sample", "alarm_300"), bn.BDeu(1), bn.K2(bn.load_network("alarm").ordering), seed=1),
    ),
    "example_survey": ("network", bn.Experiment(bn.Recipe("network", "survey", n_rows=500, seed=1), seed=1)),
    "example_sachs": ("network", bn.Experiment(bn.Recipe("sample", "sachs_discrete"), seed=1)),
}
#: A laptop's window, in the size at which the manual shows it.
WINDOW, SHRUNK = {"width": 1280, "height": 860}, 0.75


def main() -> None:
    """Take the pictures of some names, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PICTURES)}")
    names = parser.parse_args().names
    chromium = next(filter(None, map(shutil.which, BROWSERS)))
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder) / "log.txt") as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, args=LAUNCH)
        for name in names or PICTURES:
            where, experiment = PICTURES[name]
            page = browser.new_page(viewport=WINDOW, device_scale_factor=SHRUNK, color_scheme="light")
            link = "" if experiment == FIRST else f"?{Key.ADDRESS}={experiment.to_link()}"
            page.set_default_timeout(1000 * HANG)
            page.goto(f"{address}/{where}{link}")
            page.get_by_test_id("stMain").locator("h1, h2").first.wait_for()
            for _ in range(3):  # work that is started by a page's first answer is waited for, too
                rest(page)
                page.wait_for_timeout(1500)
            rest(page)
            page.screenshot(path=IMAGES / f"{name}.png")
            print(name)
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
