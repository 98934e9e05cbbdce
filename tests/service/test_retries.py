"""Whether to try again is said by retry_after_ms alone, and follows from the reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from google.rpc import code_pb2

from endless_winter.engine.refusal import RETRY_AFTER_MS, Refusal
from endless_winter.service.calls import STATUS
from endless_winter.v1 import rejection_pb2 as r

ROOT = Path(__file__).parents[2]
REASONS = sorted(set(r.RejectionReason.values()) - {r.REJECTION_REASON_UNSPECIFIED})
# | `NAME` | STATUS | tried again | meaning |
ROW = re.compile(r"^\| `([A-Z_]+)` \| ([A-Z_]+) \| (yes|no) \| .+ \|$", re.MULTILINE)


def short(reason: r.RejectionReason.ValueType) -> str:
    return r.RejectionReason.Name(reason).removeprefix("REJECTION_REASON_")


@pytest.mark.parametrize("reason", REASONS, ids=short)
def test_a_reason_carries_a_time_to_try_again_always_or_never(
    reason: r.RejectionReason.ValueType,
) -> None:
    out = Refusal(reason, "no").message_out()
    assert out.HasField("retry_after_ms") == (reason in RETRY_AFTER_MS)
    if reason in RETRY_AFTER_MS:
        assert out.retry_after_ms > 0
        assert Refusal(reason, "no", retry_after_ms=7).retry_after_ms == 7
    else:
        with pytest.raises(ValueError, match="final"):
            Refusal(reason, "no", retry_after_ms=7)


def test_the_table_of_reasons_in_the_documents_is_complete_and_true() -> None:
    page = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    documented = [(name, status, again == "yes") for name, status, again in ROW.findall(page)]
    assert documented == [
        (short(reason), code_pb2.Code.Name(STATUS[reason]), reason in RETRY_AFTER_MS)
        for reason in REASONS
    ]
