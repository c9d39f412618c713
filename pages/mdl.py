"""MDL: description length in bits, size against misfit: worked examples, candidates, one's own network, the search."""

from pages._shared import lecture, state
from pages._shared.mdl.candidates import candidates
from pages._shared.mdl.copies import copies
from pages._shared.mdl.editor import editor
from pages._shared.mdl.precision import precision
from pages._shared.mdl.space import space
from pages._shared.mdl.worked import worked

lecture.section_page(
    {
        "Worked example": worked,
        "Compare networks": candidates,
        "Climb by hand": editor,
        "Copy the data": copies,
        "Half log N": precision,
        "Search space": space,
    },
    state.MDL_SECTION,
)
