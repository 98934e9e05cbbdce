"""Typed access to JSON values; what is wrong is said with its path."""

from endless_winter.rules.errors import BadPosition
from endless_winter.rules.zones import EMPTY

Json = dict[str, object]


class Reader:
    """Typed access to JSON values; what is wrong is said with its path."""

    def __init__(self, values: Json, path: str) -> None:
        self.values: Json = values
        self.path: str = path
        self.used: set[str] = set()

    def value(self, key: str) -> object:
        if key not in self.values:
            raise BadPosition(f"{self.path}{key}: missing")
        self.used.add(key)
        return self.values[key]

    def finish(self) -> None:
        for key in self.values:
            if key not in self.used:
                raise BadPosition(f"{self.path}{key}: unknown")

    def number(self, key: str, most: int = 255) -> int:
        return number_of(self.value(key), self.path + key, most)

    def truth(self, key: str) -> bool:
        value = self.value(key)
        if not isinstance(value, bool):
            raise BadPosition(f"{self.path}{key}: true or false expected")
        return value

    def text(self, key: str) -> str:
        value = self.value(key)
        if not isinstance(value, str):
            raise BadPosition(f"{self.path}{key}: a text expected")
        return value

    def texts(self, key: str) -> list[str]:
        found = []
        for name in self.items(key):
            if not isinstance(name, str):
                raise BadPosition(f"{self.path}{key}: names expected")
            found.append(name)
        return found

    def items(self, key: str) -> list[object]:
        return items_of(self.value(key), self.path + key)

    def sub(self, key: str) -> "Reader":
        return Reader(object_of(self.value(key), self.path + key), f"{self.path}{key}.")

    def numbers(self, key: str, most: int = 254) -> bytes:
        return bytes(number_of(value, self.path + key, most) for value in self.items(key))

    def place(self, key: str, most: int) -> int:
        """A number, or EMPTY where nothing stands."""
        value = self.value(key)
        return EMPTY if value == "" else number_of(value, self.path + key, most)

    def records(self, key: str) -> "list[Reader]":
        """The objects of a list."""
        found: list[Reader] = []
        for at, item in enumerate(self.items(key)):
            path = f"{self.path}{key}[{at}]"
            found.append(Reader(object_of(item, path), path + "."))
        return found

    def pieces(self, key: str, names: list[str], empty: bool = False) -> bytes:
        return pieces_of(self.items(key), self.path + key, names, empty)

    def piece(self, key: str, names: list[str]) -> int:
        return piece_of(self.value(key), self.path + key, names, True)

    def hexadecimal(self, key: str) -> bytes:
        return hexadecimal_of(self.value(key), self.path + key)


def number_of(value: object, path: str, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise BadPosition(f"{path}: a whole number from 0 to {most} expected")
    return value


def items_of(value: object, path: str) -> list[object]:
    if not isinstance(value, list):
        raise BadPosition(f"{path}: a list expected")
    return value


def object_of(value: object, path: str) -> Json:
    if not isinstance(value, dict):
        raise BadPosition(f"{path}: an object expected")
    return value


def piece_of(value: object, path: str, names: list[str], empty: bool) -> int:
    if empty and value == "":
        return EMPTY
    if not isinstance(value, str) or value not in names:
        raise BadPosition(f"{path}: {value!r} is not known to this content pack")
    return names.index(value)


def pieces_of(values: list[object], path: str, names: list[str], empty: bool) -> bytes:
    return bytes(piece_of(value, path, names, empty) for value in values)


def hexadecimal_of(value: object, path: str) -> bytes:
    if isinstance(value, str):
        try:
            return bytes.fromhex(value)
        except ValueError:
            pass
    raise BadPosition(f"{path}: hexadecimal digits expected")
