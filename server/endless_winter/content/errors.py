"""The one error of a content pack."""


class ContentError(Exception):
    """A content pack that cannot be used: which file, which entry, and why."""

    def __init__(self, file: str, entry: str, reason: str) -> None:
        super().__init__(f"{file}: {entry}: {reason}")
        self.file = file
        self.entry = entry
        self.reason = reason
