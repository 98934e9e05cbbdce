"""Rivers & Rafts (RAF), an expansion that plugs in as the module "rivers".

The board (layout.py): the River runs from west to east through hexes 15, 5, 0, 2, 9, or the other
way round, so that it starts at the Headwaters and ends at the Delta, both outside the board.
`position.terrain` has three kinds of types of its own behind those of the base game
(parts.py): `river`, `bare` (a Landmark hex whose Landmark is still to be chosen), and
`bare + 1 + n`, a hex with Landmark number n. There is no Base tile: terrain[0] is a River hex.

Places. A Raft's place on the river is 0 on the Headwaters, 1 to 5 on the River hexes in their
order, 6 on the Delta. A Camp on its owner's Starting Base is at terrain.OUTSIDE (19) in
`player.camps`; before the Base is attached its Camps are already on it.

State, `position.module_state[index]` (area.py):

    0        how often Fish were mixed
    1        Fish in the pool
    2-6      River hexes from the Headwaters to the Delta
    7-18     the three River tiles from the Headwaters to the Delta, 4 bytes each:
             2 * number of the tile + side (0 A, 1 B), then its hexes in the order of the pack
    19-22    the place of each seat's Raft
    23-26    the site of each seat's Starting Base (bases.py), 255: none
    27-41    the Fish pool, secret, the next one first; then the discarded Fish, sorted

Decisions of its own are records (MODULE, seat, index, pieces):

    RAISE_LANDMARK, hex   which Landmark goes onto the hex (set-up, before Chiefs are chosen)
    ATTACH_BASE           where the Starting Base goes (the last step of set-up)

Options, events and icons with their numbers are in codes.py. Everything else is the base game's
own: steps from a Starting Base are `travel 19>7` and `move 19>7`, and a River or Landmark hex is a
source in the Terrain step like any other (`hex 5: fish`, `hex 6: landmark volcano`).
"""
