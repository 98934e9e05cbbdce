"""Rest tokens (RTK): their one question. What else there is of them is in tokens.py."""

from __future__ import annotations

from typing import Final

from endless_winter.v1 import decision_pb2 as d
from endless_winter.views.plugin import NO_PIECES, ViewModule

_RULE: Final = "RTK-02"


class RestTokensView(ViewModule):
    def decisions(self) -> dict[int, tuple[d.DecisionKind.ValueType, str]]:
        return {NO_PIECES: (d.DECISION_KIND_REST_TOKEN, _RULE)}

    def questions(self) -> dict[int, str]:
        return {d.DECISION_KIND_REST_TOKEN: "The open Rest token, or the next one?"}

    def rules(self) -> dict[str, str]:
        return {
            _RULE: (
                "Whoever rests first in a round begins by taking a Rest token: the open one, or, "
                "after slipping that one face down under the stack, the next from the top."
            )
        }


VIEW: Final = RestTokensView()
