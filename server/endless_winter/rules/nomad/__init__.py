"""The Nomad: the opponent of solo games, who follows its cards (SOL, NMD, XPT).

It is a kind of seat (seat.py) with an area of its own on the table (area.py, module.py). What it
does next is always one step with one option: which column (column.py), which action and on what
(steps.py), where to build and roam (roaming.py), the arrows deciding between equals (arrows.py).
"""
