"""The one error of a content pack."""


class ContentError(Exception):
    """A content pack that cannot be used: which file, which entry, and why."""

    def __init__(self, file: str, entry: str, reason: str) -> None:
        self.file: str = _one_line(file)
        self.entry: str = _one_line(entry)
        self.reason: str = _one_line(reason)
        super().__init__(f"{self.file}: {self.entry}: {self.reason}")


def _one_line(text: str) -> str:
    """The text with anything unprintable escaped: names in a broken pack may hold anything."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
