"""MDL: the description length in bits, size plus misfit, and the search for the shortest description."""

from pages.mdl import lessons, networks
from pages.shared.lessons import lesson_page

SECTIONS = {
    "Worked example": lessons.worked_section,
    "Cost of a parameter": lessons.precision_section,
    "Worth of an edge": lessons.differences_section,
    "Search by hand": networks.editor_section,
    "Replicated data": lessons.copies_section,
    "Search space": networks.space_section,
}
#: Those that can be drawn for the visitor's data.
OWN = ("Worth of an edge", "Search by hand", "Replicated data", "Search space")

if __name__ == "__main__":
    lesson_page("mdl", SECTIONS, table="asia_1000", own=OWN)
