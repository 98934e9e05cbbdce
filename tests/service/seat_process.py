"""A client process that plays one seat: python -m tests.service.seat_process ADDRESS ...

It says what it does in lines: "answered DECISION SEQ" for each choice that is in the log, "resumed
SEQ" or "snapshot" when it is attached, and at the end "result HEX" with the serialized result. It
may get the number of choices to make on a stream; then it stays and makes no more.
"""

from __future__ import annotations

import asyncio
import sys

from endless_winter.v1 import decision_pb2, game_pb2, play_service_pb2
from tests.service.player import Client, pick
from tests.service.wire import Line

p = play_service_pb2


def say(*words: object) -> None:
    print(*words, flush=True)


async def by_stream(
    client: Client, game_id: str, seat: int, seed: int, after: int, most: int
) -> None:
    async with Line(client) as line:
        attach = p.Attach(after_seq=after) if after else p.Attach()
        await line.send(p.PlayCommand(game_id=game_id, seat=seat, attach=attach))
        if not after:
            await line.send(
                p.PlayCommand(request_id="r", game_id=game_id, seat=seat, ready=p.Ready())
            )
        while True:
            report = await line.next()
            if report.HasField("rejection"):
                raise SystemExit(f"{report}")
            if report.HasField("attached"):
                attached = report.attached
                say("resumed", attached.after_seq) if attached.HasField("after_seq") else say(
                    "snapshot"
                )
            elif report.HasField("accepted") and report.accepted.HasField("option_id"):
                say("answered", report.accepted.decision_id, report.accepted.seq)
            elif report.HasField("update"):
                update = report.update
                if update.HasField("result"):
                    say("result", update.result.SerializeToString(deterministic=True).hex())
                    return
                if update.HasField("prompt") and most:
                    most -= 1
                    decision = update.prompt.decision
                    answer = decision_pb2.Answer(
                        decision_id=decision.decision_id, option_id=pick(decision, seed)
                    )
                    await line.send(
                        p.PlayCommand(
                            request_id=f"d{decision.decision_id}",
                            game_id=game_id,
                            seat=seat,
                            answer=answer,
                        )
                    )


async def by_calls(client: Client, game_id: str, seat: int, seed: int) -> None:
    await client.ready(game_id, seat)
    while True:
        owing = await client.play.ListMySeats(
            p.ListMySeatsRequest(only_owing=True, wait_ms=1_000), metadata=client.metadata
        )
        update = await client.view(game_id, seat)
        if update.status == game_pb2.GAME_STATUS_ENDED:
            say("result", update.result.SerializeToString(deterministic=True).hex())
            return
        if owing.seats and update.HasField("prompt"):
            decision = update.prompt.decision
            accepted = await client.submit(
                game_id,
                seat,
                f"d{decision.decision_id}",
                decision_id=decision.decision_id,
                option_id=pick(decision, seed),
            )
            say("answered", accepted.decision_id, accepted.seq)


async def main(
    address: str, name: str, game_id: str, way: str, seat: int, after: int, most: int
) -> None:
    async with Client(address, name) as client:
        if way == "calls":
            await by_calls(client, game_id, seat, 7)
        else:
            await by_stream(client, game_id, seat, 7, after, most)


if __name__ == "__main__":
    _, where, who, which, how, place, since, limit = sys.argv
    asyncio.run(main(where, who, which, how, int(place), int(since), int(limit)))
