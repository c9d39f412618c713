"""MDL: the description length in bits, size plus misfit, and the search for the shortest description."""

from pages.mdl import lessons, networks
from pages.shared.keys import Key
from pages.shared.lessons import lesson_page

lesson_page(
    {
        "Worked example": lessons.worked_section,
        "Cost of a parameter": lessons.precision_section,
        "Worth of an edge": lessons.differences_section,
        "Search by hand": networks.editor_section,
        "Replicated data": lessons.copies_section,
        "Search space": networks.space_section,
    },
    Key.MDL_SECTION,
    table="asia_1000",
    own=("Worth of an edge", "Search by hand", "Replicated data", "Search space"),
)
