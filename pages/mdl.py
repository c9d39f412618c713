"""MDL: the description length in bits, size plus misfit, and the search for the shortest description."""

from pages._shared.section import section_page
from pages._shared.sections.mdl import candidates, copies, editor, precision, space, worked
from pages._shared.session import Key

section_page(
    {
        "Worked example": worked.section,
        "Compare networks": candidates.section,
        "Search by hand": editor.section,
        "Replicated data": copies.section,
        "Cost of a parameter": precision.section,
        "Search space": space.section,
    },
    Key.MDL_SECTION,
    settings=(),
)
