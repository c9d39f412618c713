"""MDL: description length in bits, size against misfit: worked examples, candidates, one's own network, the search."""

from pages._shared.section import section_page
from pages._shared.sections.mdl.candidates import candidates
from pages._shared.sections.mdl.copies import copies
from pages._shared.sections.mdl.editor import editor
from pages._shared.sections.mdl.precision import precision
from pages._shared.sections.mdl.space import space
from pages._shared.sections.mdl.worked import worked
from pages._shared.session import Key

section_page(
    {
        "Worked example": worked,
        "Compare networks": candidates,
        "Climb by hand": editor,
        "Copy the data": copies,
        "Half log N": precision,
        "Search space": space,
    },
    Key.MDL_SECTION,
)
