"""Has secrets: a file, a log, a source, variables, a TCP port and an abstract Unix socket.

A program of its own that plays nothing; standard library only.
"""

import json
import os
import secrets
import socket
import time

SOURCE = "a secret of its source"

with open("secret", "w") as file:  # noqa: PTH123
    file.write("a secret of its folder")
print("a secret of its log", flush=True)
port = socket.create_server(("127.0.0.1", 0))
name = f"ew-victim-{secrets.token_hex(8)}"
hidden = socket.socket(socket.AF_UNIX)
hidden.bind(f"\0{name}")
hidden.listen()
with open("planted.new", "w") as file:  # noqa: PTH123
    json.dump({"port": port.getsockname()[1], "abstract": name}, file)
os.rename("planted.new", "planted")  # noqa: PTH104
while True:
    time.sleep(1)
