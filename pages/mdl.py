"""MDL: description length in bits, size against misfit: worked examples, candidates, one's own network, the search."""

from pages._shared import section, session
from pages._shared.sections.mdl.candidates import candidates
from pages._shared.sections.mdl.copies import copies
from pages._shared.sections.mdl.editor import editor
from pages._shared.sections.mdl.precision import precision
from pages._shared.sections.mdl.space import space
from pages._shared.sections.mdl.worked import worked

section.section_page(
    {
        "Worked example": worked,
        "Compare networks": candidates,
        "Climb by hand": editor,
        "Copy the data": copies,
        "Half log N": precision,
        "Search space": space,
    },
    session.MDL_SECTION,
)
