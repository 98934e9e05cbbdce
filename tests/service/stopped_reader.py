"""A client process that watches a game on many streams: python -m tests.service.stopped_reader ...

It says "attached" when each stream has its first update. Then a test may stop it and let it go on;
given the number of an entry, it reads each stream up to there and says of each, in a line, how many
updates there were after the first, how many of them snapshots, and whether they came in order.
"""

from __future__ import annotations

import asyncio
import sys

import grpc

from endless_winter.v1 import play_service_pb2, play_service_pb2_grpc, view_pb2
from tests.service.player import Client
from tests.service.wire import Line

p = play_service_pb2
# Without it gRPC takes more and more ahead of the reader.
NO_READING_AHEAD = [("grpc.http2.bdp_probe", 0)]


async def main(address: str, game_id: str, streams: int) -> None:
    feed = p.FeedOptions(view_mode=view_pb2.VIEW_MODE_ALWAYS)
    client = Client(address, "eve")
    await client.channel.close()
    async with grpc.aio.insecure_channel(address, options=NO_READING_AHEAD) as channel:
        client.play = play_service_pb2_grpc.PlayServiceStub(channel)
        lines = [await Line(client).__aenter__() for _ in range(streams)]
        for line in lines:
            await line.do(game_id=game_id, attach=p.Attach(feed=feed))
            await line.update()
        print("attached", flush=True)
        until = int(await asyncio.to_thread(sys.stdin.readline))
        for line in lines:
            while (await line.update()).seq < until:
                pass
            updates = [one.update for one in line.received if one.HasField("update")][1:]
            numbers = [update.seq for update in updates]
            snapshots = sum(update.snapshot for update in updates)
            print(len(updates), snapshots, numbers == sorted(set(numbers)), flush=True)
            await line.__aexit__()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
