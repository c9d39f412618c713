"""MDL: the description length in bits, size plus misfit, and the search for the shortest description."""

from pages._shared.sections.mdl import lessons, networks
from pages._shared.sections.section import section_page
from pages._shared.session import Key

section_page(
    {
        "Worked example": lessons.worked_section,
        "Compare networks": networks.candidates_section,
        "Search by hand": networks.editor_section,
        "Replicated data": lessons.copies_section,
        "Cost of a parameter": lessons.precision_section,
        "Search space": networks.space_section,
    },
    Key.MDL_SECTION,
    settings=(),
)
