"""Rest tokens (RTK): their one question. What else there is of them is in tokens.py."""

from __future__ import annotations

from typing import Final

from endless_winter.v1 import decision_pb2 as d
from endless_winter.views.plugin import NO_PIECES, Asked, ViewModule

_RULE: Final = "RTK-02"


class RestTokensView(ViewModule):
    def decisions(self) -> dict[int, Asked]:
        question = "The open Rest token, or the next one?"
        return {NO_PIECES: Asked(_RULE, question, d.DECISION_KIND_REST_TOKEN)}

    def rules(self) -> dict[str, str]:
        return {
            _RULE: (
                "Whoever rests first in a round begins by taking a Rest token: the open one, or, "
                "after slipping that one face down under the stack, the next from the top."
            )
        }


VIEW: Final = RestTokensView()
