"""Two people at once: neither sees anything of the other, on any page."""

import pytest

from tests.pages.conftest import PAGE_FILES

pytestmark = pytest.mark.slow


@pytest.fixture
def both(arrive):
    """One looks at Titanic, the other at a file of two columns that only this visitor has."""
    one, other = arrive(), arrive()
    one.sample("titanic")
    other.upload("private.csv", "secret,answer\n" + "yes,no\nno,yes\n" * 20)
    return one, other


def words(visitor):
    shown = [*visitor.at.markdown, *visitor.at.caption, *visitor.at.info, *visitor.at.warning]
    return " ".join(str(text.value) for text in shown)


def test_each_page_shows_each_visitor_their_own_data(both):
    one, other = both
    for page in PAGE_FILES:
        for visitor in (one, other, one):
            visitor.open(page)
        assert (one.recipe.name, other.recipe.name) == ("titanic", "private.csv")
        assert "private" not in words(one), page
        assert "secret" not in words(one), page
        assert "Titanic" not in words(other) or page == "home"
