"""MDL: the description length in bits, size plus misfit, and the search for the shortest description."""

from pages.mdl import lessons, networks
from pages.shared.keys import Key
from pages.shared.lessons import DATA, Section, lesson_page

lesson_page(
    {
        "": {
            "Worked example": Section(lessons.worked_section),
            "Cost of a parameter": Section(lessons.precision_section),
            "Search by hand": Section(networks.editor_section, DATA),
            "Compare networks": Section(networks.candidates_section, DATA),
            "Replicated data": Section(lessons.copies_section, DATA),
            "Search space": Section(networks.space_section, DATA),
        }
    },
    Key.MDL_SECTION,
    table="asia_1000",
)
